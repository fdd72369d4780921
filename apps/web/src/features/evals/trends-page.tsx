/** A suite over its commits: pass rate with intervals, scores, and flaky cases. */
import type { EvalTrend } from "@devflow/protocol";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import {
  intervalText,
  percent,
  plural,
  score,
  shellWord,
  shortSha,
  stateName,
  usd,
} from "../../model/evals/eval-words.ts";
import { rangeOf } from "../../model/evals/scale.ts";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { Choice, SuiteChoice } from "./choice.tsx";
import { useSuites, useTrend } from "./eval-queries.ts";
import { EvalsNav } from "./evals-nav.tsx";
import { FlakyCases } from "./flaky-cases.tsx";
import { Rate } from "./rate.tsx";

export function TrendsPage() {
  const search = useSearch({ from: "/evals/trends" });
  const navigate = useNavigate({ from: "/evals/trends" });
  const suites = useSuites();
  const first = suites.data?.suites.find(({ suite }) => search.suite === undefined || suite === search.suite);
  const suite = search.suite ?? first?.suite;
  const tier = search.tier ?? first?.tier;
  const trend = useTrend(suite, tier, search.variant);
  const fault = suites.error ?? trend.error;
  const isRead = suites.data !== undefined && (suites.data.runs === 0 || trend.data !== undefined);
  return (
    <Page
      title="Trends"
      broad
      above={<EvalsNav suite={search.suite} tier={search.tier} />}
      lead="One point per commit, with all its runs pooled. Whiskers show the 95 % interval."
    >
      {fault && <FaultNote fault={fault} onRetry={() => void Promise.all([suites.refetch(), trend.refetch()])} />}
      {!fault && suites.data?.runs === 0 && (
        <div className="rounded-panel border border-line bg-raised">
          <EmptyNote title="No eval runs yet" command="devflow eval push results.json">
            A trend needs runs of at least two commits.
          </EmptyNote>
        </div>
      )}
      {!fault && !isRead && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {!fault && isRead && suites.data.runs > 0 && (
        <div className="grid grid-cols-1 gap-8">
          <div className="flex">
            <SuiteChoice
              suites={suites.data.suites}
              suite={suite}
              tier={tier}
              onPick={(nextSuite, nextTier) =>
                void navigate({ search: (now) => ({ ...now, suite: nextSuite, tier: nextTier, variant: undefined }) })
              }
            />
          </div>
          {trend.data && (
            <div className="-mt-4 flex flex-wrap items-end gap-x-4 gap-y-2 text-meta text-ink-soft">
              {trend.data.variants.length > 1 && (
                <Choice
                  label="Model and prompt"
                  value={trend.data.variant ?? undefined}
                  options={trend.data.variants}
                  onPick={(variant) => void navigate({ search: (now) => ({ ...now, variant }), replace: true })}
                />
              )}
              {trend.data.branch && <span>Runs of {trend.data.branch}; other branches are left out.</span>}
            </div>
          )}
          {trend.data && <Trend of={trend.data} />}
          {suite !== undefined && tier !== undefined && <FlakyCases suite={suite} tier={tier} />}
        </div>
      )}
    </Page>
  );
}

function Trend({ of }: { of: EvalTrend }) {
  const navigate = useNavigate();
  const { points, suite, tier, scope } = of;
  if (points.length === 0) {
    return (
      <EmptyNote title="No runs of this suite and tier" command={`devflow eval list --suite ${shellWord(suite)}`} />
    );
  }
  const steps = points.map(({ id, breakBefore }) => ({ name: stateName(id), breakBefore }));
  const rates = points.flatMap(({ interval, passRate }) => (passRate === null ? [] : [interval.low, interval.high]));
  // Sorted, so that a criterion keeps its colour whichever commits are shown.
  const criteria = [...new Set(points.flatMap((point) => Object.keys(point.scores)))].sort().slice(0, 4);
  const means = points.flatMap((point) => criteria.flatMap((criterion) => point.scores[criterion]?.mean ?? []));
  const compare = (at: number) => {
    const [before, own] = [points[at - 1], points[at]];
    if (before && own) void navigate({ to: "/evals/compare", search: { suite, tier, a: before.id, b: own.id } });
  };
  return (
    <>
      <Panel
        title="Pass rate"
        aside={
          <span className="hidden text-meta text-ink-soft wide:inline">
            Click a point to compare it with the previous commit
          </span>
        }
      >
        <div className="p-4">
          <LineChart
            label={`Pass rate of ${suite} over ${plural(points.length, "commit")}, from ${percent(points[0]?.passRate ?? null)} to ${percent(points.at(-1)?.passRate ?? null)}`}
            lines={[
              {
                name: "Pass rate",
                points: points.map(({ passRate, interval }) => ({ value: passRate, ...interval })),
              },
            ]}
            steps={steps}
            range={rangeOf(rates, { least: 0.2, within: [0, 1], roundTo: 0.05 })}
            format={(value) => `${Math.round(value * 100)} %`}
            onStep={compare}
          />
        </div>
      </Panel>
      {criteria.length > 0 && (
        <Panel title="Scores">
          <div className="p-4">
            <LineChart
              label={`Mean scores of ${suite} by criterion: ${criteria.join(", ")}`}
              lines={criteria.map((criterion) => ({
                name: criterion,
                points: points.map((point) => ({ value: point.scores[criterion]?.mean ?? null })),
              }))}
              steps={steps}
              range={rangeOf(means, { least: 0.2, roundTo: 0.05 })}
              format={score}
              height={200}
              onStep={compare}
            />
          </div>
        </Panel>
      )}
      <Panel
        title="Commits"
        aside={
          scope.olderRuns > 0 && (
            <span className="text-meta text-ink-soft">
              The newest {scope.runs} runs; {scope.olderRuns} older runs not included
            </span>
          )
        }
      >
        <Points of={of} />
      </Panel>
    </>
  );
}

function Points({ of: { points, suite, tier } }: { of: EvalTrend }) {
  return (
    <table className="w-full table-fixed border-collapse text-left">
      <caption className="sr-only">Commits, newest first</caption>
      <thead>
        <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
          <th scope="col" className="px-3 font-normal">
            Commit
          </th>
          <th scope="col" className="w-28 px-3 text-right font-normal broad:w-60">
            Passed
          </th>
          <th scope="col" className="hidden w-28 px-3 text-right font-normal wide:table-cell">
            Runs
          </th>
          <th scope="col" className="hidden w-28 px-3 text-right font-normal wide:table-cell">
            Cost
          </th>
          <th scope="col" className="hidden w-32 px-3 text-right font-normal wide:table-cell">
            When
          </th>
          <th scope="col" className="w-28 px-3 text-right font-normal">
            Compare
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {points.toReversed().map((point, back) => {
          const before = points[points.length - 2 - back];
          return (
            <tr key={point.id} className="h-12 hover:bg-hover">
              <td className="px-3">
                <Link
                  to="/evals"
                  search={{ suite, tier, sha: point.sha ?? undefined }}
                  data-row
                  className="block truncate font-mono text-meta outline-offset-2 hover:underline"
                >
                  {point.sha === null ? stateName(point.id) : shortSha(point.sha)}
                </Link>
                {point.commit && (
                  <span className="block truncate text-meta text-ink-soft" title={point.commit.subject}>
                    {point.commit.subject} · {point.commit.author}
                  </span>
                )}
                {point.breakBefore && <span className="text-meta text-warn">{point.breakBefore}</span>}
              </td>
              <td className="px-3" title={intervalText(point.interval)}>
                <Rate of={point} />
              </td>
              <td className="hidden px-3 text-right tabular-nums wide:table-cell">{point.runs.length}</td>
              <td className="hidden px-3 text-right tabular-nums wide:table-cell">{usd(point.usd)}</td>
              <td className="hidden px-3 text-right text-ink-soft wide:table-cell">
                <RelativeTime at={point.at} />
              </td>
              <td className="px-3 text-right">
                {before && (
                  <Link
                    to="/evals/compare"
                    search={{ suite, tier, a: before.id, b: point.id }}
                    className="text-accent underline underline-offset-2"
                  >
                    with previous
                  </Link>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
