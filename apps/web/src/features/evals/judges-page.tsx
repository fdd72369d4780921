/** How reliable judges are: agreement with each other, with themselves over time, and with people. */
import type { EvalJudges } from "@devflow/protocol";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { agreementLevel, plural, score, shortSha, signed } from "../../model/evals/eval-words.ts";
import { rangeOf } from "../../model/evals/scale.ts";
import { IntervalMark } from "../../parts/charts/interval-mark.tsx";
import { LineChart } from "../../parts/charts/line-chart.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { SuiteChoice } from "./choice.tsx";
import { useJudges, useSuites } from "./eval-queries.ts";
import { EvalsNav } from "./evals-nav.tsx";

export function JudgesPage() {
  const { suite, tier } = useSearch({ from: "/evals/judges" });
  const navigate = useNavigate({ from: "/evals/judges" });
  const suites = useSuites();
  const judges = useJudges({ suite, tier });
  return (
    <Page
      title="Judges"
      broad
      above={<EvalsNav suite={suite} tier={tier} />}
      lead="Before you rely on a judge, check how well it agrees with other judges, with itself and with people."
    >
      {judges.error && <FaultNote fault={judges.error} onRetry={() => void judges.refetch()} />}
      {judges.isPending && (
        <div className="rounded-panel border border-line">
          <SkeletonRows count={8} />
        </div>
      )}
      {judges.data && (
        <div className="grid grid-cols-1 gap-8">
          <div className="flex">
            <SuiteChoice
              suites={suites.data?.suites ?? []}
              suite={suite}
              tier={tier}
              all="All suites"
              onPick={(nextSuite, nextTier) =>
                void navigate({ search: (now) => ({ ...now, suite: nextSuite, tier: nextTier }), replace: true })
              }
            />
          </div>
          {judges.data.judges.length === 0 ? (
            <div className="rounded-panel border border-line bg-raised">
              <EmptyNote title="No runs judged by a model" command="devflow eval check cases.yaml outputs.json --judge">
                Judge profiles are defined in judge-profiles.yaml. The votes of every judge are kept.
              </EmptyNote>
            </div>
          ) : (
            <Content of={judges.data} />
          )}
        </div>
      )}
    </Page>
  );
}

function Content({ of }: { of: EvalJudges }) {
  return (
    <>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Panel title="Who judged">
          <ul className="divide-y divide-line">
            {of.judges.map((judge) => (
              <li key={`${judge.model} ${judge.rubricSha} ${judge.threshold}`} className="px-4 py-3">
                <p className="flex flex-wrap items-baseline justify-between gap-x-4">
                  <span className="font-medium break-words">{judge.model}</span>
                  <span className="text-meta text-ink-soft tabular-nums">{plural(judge.runs, "run")}</span>
                </p>
                <p className="text-meta text-ink-soft">
                  rubric <span className="font-mono">{judge.rubricSha?.slice(0, 10) ?? "not named"}</span>
                  {judge.threshold !== null && `, passes at ${judge.threshold}`}, {judge.suites.join(", ")}, last{" "}
                  <RelativeTime at={judge.lastAt} />
                </p>
              </li>
            ))}
          </ul>
        </Panel>
        <People of={of} />
      </div>
      <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
        <Agreement of={of} />
        <Bias of={of} />
      </div>
      <Drift of={of} />
    </>
  );
}

function Agreement({ of }: { of: EvalJudges }) {
  const rows = [
    ...of.agreement.map((one) => ({ ...one, who: "between judges" })),
    ...of.consistency.map((one) => ({ ...one, who: `${one.model} with itself` })),
  ].filter(({ items }) => items > 0);
  return (
    <Panel
      title="Agreement"
      aside={
        <span className="hidden text-meta text-ink-soft wide:inline">
          Krippendorff's alpha; a judge may gate from {of.gatingAlpha}
        </span>
      }
    >
      {rows.length === 0 ? (
        <EmptyNote title="No outputs with two votes">
          To measure agreement, give a profile several judges, or one judge several votes.
        </EmptyNote>
      ) : (
        <table className="w-full border-collapse text-left">
          <caption className="sr-only">Agreement by criterion</caption>
          <thead>
            <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
              <th scope="col" className="px-4 font-normal">
                Criterion
              </th>
              <th scope="col" className="px-3 text-right font-normal">
                Scores
              </th>
              <th scope="col" className="hidden px-3 text-right font-normal wide:table-cell">
                Verdicts
              </th>
              <th scope="col" className="hidden px-3 text-right font-normal wide:table-cell">
                Outputs
              </th>
              <th scope="col" className="px-3 font-normal">
                Level
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((one) => (
              <tr key={`${one.who} ${one.criterion}`} className="h-12">
                <th scope="row" className="px-4 font-medium break-words">
                  {one.criterion}
                  <span className="block text-meta font-normal text-ink-soft">{one.who}</span>
                </th>
                <td className="px-3 text-right tabular-nums">{score(one.scores)}</td>
                <td className="hidden px-3 text-right tabular-nums wide:table-cell">{score(one.verdicts)}</td>
                <td className="hidden px-3 text-right tabular-nums wide:table-cell">{one.items}</td>
                <td className="px-3">
                  <StateWord {...agreementLevel(one.scores)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

function Bias({ of }: { of: EvalJudges }) {
  const extent = Math.max(0.05, ...of.leaning.map(({ difference }) => Math.abs(difference)));
  return (
    <Panel
      title="Bias"
      aside={<span className="hidden text-meta text-ink-soft wide:inline">Compared with the mean of all votes</span>}
    >
      {of.leaning.length === 0 ? (
        <EmptyNote title="No outputs judged by two models" />
      ) : (
        <ul className="divide-y divide-line">
          {of.leaning.map(({ model, criterion, difference }) => (
            <li key={`${criterion} ${model}`} className="flex min-h-12 items-center gap-4 px-4">
              <span className="min-w-0 flex-1">
                <span className="block truncate">{criterion}</span>
                <span className="block truncate text-meta text-ink-soft">{model}</span>
              </span>
              <IntervalMark value={difference} low={0} high={difference} range={[-extent, extent]} zero tone="accent" />
              <span className="w-16 text-right tabular-nums">{signed(difference, 3)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function People({ of: { people } }: { of: EvalJudges }) {
  return (
    <Panel title="Compared with people">
      {people.length === 0 && (
        <EmptyNote title="No results labelled yet" command="devflow eval label <run>">
          At least 30 labels are needed, 10 of them of the rarer kind.
        </EmptyNote>
      )}
      {people.map((one) => (
        <div key={`${one.suite} ${one.criterion}`} className="grid gap-2 border-b border-line p-4 last:border-b-0">
          <h3 className="font-medium">
            {one.suite} <span className="font-normal text-ink-soft">{one.criterion ?? "whole outputs"}</span>
          </h3>
          <Confusion of={one} />
          <p className="text-ink-soft">
            {one.isEnough
              ? `Cohen's kappa ${score(one.cohensKappa)}, Gwet's AC1 ${score(one.gwetsAc1)}, from ${plural(one.labels, "label")}.`
              : `${plural(one.labels, "label")}: not enough. At least 30 are needed, 10 of them of the rarer kind.`}
          </p>
        </div>
      ))}
    </Panel>
  );
}

function Confusion({ of }: { of: EvalJudges["people"][number] }) {
  const [agree, differ] = ["bg-good-soft px-3 text-right tabular-nums", "bg-bad-soft px-3 text-right tabular-nums"];
  return (
    <table className="w-full border-collapse text-left">
      <caption className="sr-only">The judges' verdicts compared with people's</caption>
      <thead>
        <tr className="h-8 text-meta text-ink-soft">
          <td />
          <th scope="col" className="px-3 text-right font-normal">
            Person: pass
          </th>
          <th scope="col" className="px-3 text-right font-normal">
            Person: fail
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        <tr className="h-10">
          <th scope="row" className="font-medium">
            Judge: pass
          </th>
          <td className={agree}>{of.bothPass} agree</td>
          <td className={differ}>{of.onlyJudge} too lenient</td>
        </tr>
        <tr className="h-10">
          <th scope="row" className="font-medium">
            Judge: fail
          </th>
          <td className={differ}>{of.onlyHuman} too strict</td>
          <td className={agree}>{of.bothFail} agree</td>
        </tr>
      </tbody>
    </table>
  );
}

/** One chart per criterion, one line per set of judges. */
function Drift({ of }: { of: EvalJudges }) {
  const criteria = [...Map.groupBy(of.drift, ({ criterion }) => criterion)].slice(0, 6);
  return (
    <div className="grid grid-cols-1 gap-8 broad:grid-cols-2">
      {criteria.map(([criterion, lines]) => {
        const runs = [
          ...new Map(lines.flatMap(({ points }) => points.map((point) => [point.run, point] as const))).values(),
        ].toSorted((a, b) => (a.at < b.at ? -1 : 1));
        const means = lines.flatMap(({ points }) => points.map(({ mean }) => mean));
        return (
          <Panel
            key={criterion}
            title={`Drift: ${criterion}`}
            aside={<span className="hidden text-meta text-ink-soft wide:inline">Mean score per run</span>}
          >
            <div className="p-4">
              <LineChart
                label={`Mean ${criterion} over ${plural(runs.length, "run")}, from ${score(means[0] ?? null)} to ${score(means.at(-1) ?? null)}`}
                lines={lines.map(({ judge, points }) => {
                  const own = new Map(points.map((point) => [point.run, point.mean]));
                  return { name: judgeName(judge), points: runs.map(({ run }) => ({ value: own.get(run) ?? null })) };
                })}
                steps={runs.map(({ sha, run }) => ({ name: sha === null ? run : shortSha(sha) }))}
                range={rangeOf(means, { least: 0.2, roundTo: 0.05 })}
                format={score}
                height={180}
              />
            </div>
          </Panel>
        );
      })}
    </div>
  );
}

/** Only the models of `model/rubric/threshold …`. */
function judgeName(judge: string): string {
  return judge
    .split(" ")
    .map((one) => one.split("/")[0])
    .join(", ");
}
