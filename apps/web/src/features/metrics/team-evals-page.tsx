/** Evals of the whole team: pass rates over time, and what the AI struggles with. */
import { type EvalStruggles, markBidi, type SuiteTrends } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { intervalText, percent, score } from "../../model/evals/eval-words.ts";
import { rangeOf } from "../../model/evals/scale.ts";
import { endOfStep, money, stepName, wholePercent } from "../../model/team/metric-words.ts";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Panel } from "../../parts/page.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table-head.tsx";
import { Choice } from "../evals/choice.tsx";
import { RateCell } from "./figures.tsx";
import { MetricPage } from "./metric-page.tsx";
import { useMetric } from "./metric-queries.ts";

const usualDays = 90;
/** More lines than this cannot be told apart. */
const mostLines = 4;

export function TeamEvalsPage() {
  const { days = usualDays, suite, branch, model } = useSearch({ from: "/team/evals" });
  const navigate = useNavigate({ from: "/team/evals" });
  const query = useMetric("eval_trend", { days, suite, branch, model });
  const pick = (name: "suite" | "branch" | "model") => (value: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, [name]: value }), replace: true });
  return (
    <MetricPage
      title="Team evals"
      lead="Of what passed or failed; errors and skipped results say nothing about quality."
      query={query}
      days={usualDays}
      filters={
        <>
          <Choice
            label="Suite"
            all="All suites"
            value={suite}
            options={[...new Set((query.data?.suites ?? []).map((one) => one.suite))]}
            onPick={pick("suite")}
          />
          <Choice
            label="Branch"
            all="All branches"
            value={branch}
            options={query.data?.branches ?? []}
            onPick={pick("branch")}
          />
          <Choice
            label="Model"
            all="All models"
            value={model}
            options={query.data?.models ?? []}
            onPick={pick("model")}
          />
        </>
      }
      empty={{
        is: (data) => data.suites.length === 0,
        title: "No eval runs in this period",
        text: "Runs of every member appear here when they are pushed from a repository of the team.",
        command: "devflow eval push results.json",
      }}
    >
      {(data) => (
        <>
          <Trends of={data} />
          <Struggles days={days} suite={suite} />
        </>
      )}
    </MetricPage>
  );
}

function Trends({ of }: { of: SuiteTrends }) {
  const navigate = useNavigate();
  const steps = [...new Set(of.suites.flatMap(({ points }) => points.map(({ at }) => at)))].sort();
  const drawn = of.suites.slice(0, mostLines);
  const lines = drawn.map(({ suite, tier, points }) => ({
    name: drawn.some((one) => one.suite === suite && one.tier !== tier) ? `${suite} ${tier}` : suite,
    points: steps.map((at) => {
      const pass = points.find((one) => one.at === at)?.pass;
      if (!pass || pass.rate === null) return { value: null };
      // Intervals of several lines hide each other; the table has them.
      return { value: pass.rate, ...(drawn.length === 1 ? { low: pass.low, high: pass.high } : {}) };
    }),
  }));
  const known = lines.flatMap(({ points }) =>
    points.flatMap((one) => ("low" in one ? [one.low ?? 0, one.high ?? 1] : (one.value ?? []))),
  );
  return (
    <>
      <Panel
        title="Pass rate"
        aside={
          of.suites.length > mostLines ? (
            <span className="text-meta text-ink-soft">The {mostLines} suites with most runs</span>
          ) : undefined
        }
      >
        <div className="p-4">
          <LineChart
            label={`Pass rate: ${drawn.map(({ suite, pass }) => `${suite} ${percent(pass.rate)}`).join(", ")}`}
            lines={lines}
            steps={steps.map((at) => ({ name: stepName(at) }))}
            range={rangeOf(known, { least: 0.1, within: [0, 1], roundTo: 0.05 })}
            format={wholePercent}
            onStep={(at) => {
              const step = steps[at];
              if (step)
                void navigate({
                  to: "/team/records",
                  search: { kind: "eval_run", since: step, until: endOfStep(step, of.unit) },
                });
            }}
          />
        </div>
      </Panel>
      <Panel title="Suites">
        <table className="w-full">
          <TableHead
            columns={[
              ["Suite", "text-left"],
              ["Runs", "text-right whitespace-nowrap"],
              ["Passed", "text-right whitespace-nowrap"],
              ["Before", "hidden text-right whitespace-nowrap wide:table-cell"],
              ["Cost", "hidden text-right whitespace-nowrap wide:table-cell"],
            ]}
          />
          <tbody className="divide-y divide-line">
            {of.suites.map((one) => (
              <tr key={`${one.suite} ${one.tier}`} className="h-12 hover:bg-hover">
                <td className="w-full max-w-0 truncate px-3">
                  <Link
                    to="/team/records"
                    search={{ kind: "eval_run", suite: one.suite, since: of.since }}
                    data-row
                    className="font-medium hover:underline"
                  >
                    {markBidi(one.suite)}
                  </Link>
                  <span className="block text-meta text-ink-soft">{one.tier}</span>
                </td>
                <td className="px-3 text-right whitespace-nowrap tabular-nums">{one.runs}</td>
                <td className="px-3">
                  <RateCell of={one.pass} />
                </td>
                <td className="hidden px-3 text-right whitespace-nowrap text-ink-soft tabular-nums wide:table-cell">
                  {percent(one.before.rate)}
                </td>
                <td className="hidden px-3 text-right whitespace-nowrap tabular-nums wide:table-cell">
                  {money(one.usd)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </>
  );
}

/** A year of single cases says little about today. */
const mostDays = 90;

function Struggles({ days, suite }: { days: number; suite: string | undefined }) {
  const query = useMetric("eval_struggles", { days: Math.min(days, mostDays), suite });
  const { data } = query;
  return (
    <section aria-label="What the AI struggles with" className="grid grid-cols-1 gap-4">
      <h2 className="text-title">What the AI struggles with</h2>
      {query.error && <FaultNote fault={query.error} onRetry={() => void query.refetch()} />}
      {!data && !query.error && <SkeletonRows count={6} />}
      {data && (
        <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
          <Panel title="Weakest criteria">
            <Criteria of={data} />
          </Panel>
          <Panel title="Weakest cases">
            <Cases of={data} />
          </Panel>
        </div>
      )}
    </section>
  );
}

function Criteria({ of }: { of: EvalStruggles }) {
  if (of.criteria.length === 0)
    return <EmptyNote title="No judged results">Results with judge scores show which criterion is weakest.</EmptyNote>;
  return (
    <ul className="divide-y divide-line">
      {of.criteria.slice(0, 10).map(({ suite, criterion, score: mean, before }) => (
        <li key={`${suite} ${criterion}`} className="flex items-center justify-between gap-4 px-4 py-2">
          <Link
            to="/team/records"
            search={{ kind: "eval_run", suite, since: of.since }}
            data-row
            className="min-w-0 hover:underline"
          >
            <span className="block font-medium break-words">{markBidi(criterion)}</span>
            <span className="block truncate text-meta text-ink-soft">{markBidi(suite)}</span>
          </Link>
          <span
            className="flex shrink-0 items-center gap-3 tabular-nums"
            title={`${mean.of} results, mean ${score(mean.low)}–${score(mean.high)}`}
          >
            <IntervalMark
              value={mean.mean}
              low={mean.low}
              high={mean.high}
              tone={(mean.mean ?? 1) < 0.5 ? "bad" : "accent"}
              width={72}
            />
            <span className="grid justify-items-end">
              <span className="font-medium">{score(mean.mean)}</span>
              <span className="text-meta text-ink-soft">before {score(before)}</span>
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Cases({ of }: { of: EvalStruggles }) {
  if (of.cases.length === 0) return <EmptyNote title="No case failed">Nothing failed in this period.</EmptyNote>;
  return (
    <ul className="divide-y divide-line">
      {of.cases.slice(0, 10).map(({ suite, name, failed }) => (
        <li key={`${suite} ${name}`} className="flex items-center justify-between gap-4 px-4 py-2">
          <Link
            to="/team/records"
            search={{ kind: "eval_run", suite, case: name, since: of.since }}
            data-row
            className="min-w-0 hover:underline"
          >
            <span className="block font-medium break-words wide:truncate" title={name}>
              {markBidi(name)}
            </span>
            <span className="block truncate text-meta text-ink-soft">{markBidi(suite)}</span>
          </Link>
          <span className="flex shrink-0 items-center gap-3 tabular-nums">
            <span className="hidden wide:block">
              <IntervalMark value={failed.rate} low={failed.low} high={failed.high} tone="bad" width={72} />
            </span>
            <span className="grid justify-items-end">
              <span className="font-medium">
                {failed.hits} of {failed.of} failed
              </span>
              <span className="text-meta text-ink-soft">{intervalText(failed)}</span>
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}
