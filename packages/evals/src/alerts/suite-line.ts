/**
 * One suite on one branch among the runs of a team: which of them say how it stands now, and which say how it stood before.
 *
 * - `suiteLineOf(runs, id)` the line of this run: its newest state, and the state before it, as `compare` chooses it; undefined when the
 *   run is not complete. The runs are of one repository, suite and tier.
 * - `judgeSuiteLine(sides)` the verdict of `compare` on two sides, with the cases that broke. Strict (α = .01), because it looks at every
 *   run that arrives.
 */
import type { EvalVerdict } from "@devflow/protocol/eval-enums";
import {
  commitGraph,
  compareRuns,
  judgeKey,
  predecessorOf,
  stateOf,
  variantKey,
  variantTitle,
  withoutTwins,
} from "../compare/index.ts";
import type { CommitNote, EvalResult, EvalRun } from "../results/result.ts";
import type { RunLine } from "../store/index.ts";

/** A run as the team's server has it. */
export interface TeamStoreRun {
  readonly id: string;
  readonly run: EvalRun;
  readonly isPartial: boolean;
  /** Only of the runs that are named in an answer. */
  readonly commits: readonly CommitNote[];
}

export interface SuiteLine {
  /** The same for all runs that are compared with each other on this branch. */
  readonly key: string;
  readonly newest: TeamStoreRun;
  /** All runs of the newest state. */
  readonly now: readonly string[];
  /** All runs of the state before; empty when there is none. */
  readonly before: readonly string[];
  /** The states before that one, nearest first. */
  readonly earlier: readonly (readonly string[])[];
  readonly variant: string | null;
  readonly commit: CommitNote | null;
}

/** How far back cases are looked at for being unsteady. */
const mostEarlier = 10;

export function suiteLineOf(runs: readonly TeamStoreRun[], id: string): SuiteLine | undefined {
  const arrived = runs.find((one) => one.id === id);
  if (!arrived || arrived.isPartial) return undefined;
  const byLine = new Map(runs.map((one) => [lineOf(one), one]));
  const lines = [...byLine.keys()].filter(({ isPartial }) => !isPartial);
  const key = keyOf(arrived.run);
  const own = lines.filter((line) => keyOf(byLine.get(line)!.run) === key);
  const newest = own.reduce((best, line) => (line.at > best.at ? line : best));
  const graph = commitGraph(byLine.get(newest)!.commits);
  const idsOf = (chosen: readonly RunLine[]) => withoutTwins(chosen).map((line) => byLine.get(line)!.id);
  const isSameState = (one: RunLine) => (line: RunLine) =>
    keyOf(byLine.get(line)!.run) === keyOf(byLine.get(one)!.run) && stateKey(line) === stateKey(one);
  const found = predecessorOf(newest, lines, graph);
  const before = found && !isSameState(newest)(found) ? found : undefined;
  return {
    key,
    newest: byLine.get(newest)!,
    now: idsOf(own.filter(isSameState(newest))),
    before: before ? idsOf(lines.filter(isSameState(before))) : [],
    earlier: before ? earlierStates(before, lines, byLine).map(idsOf) : [],
    variant: variantTitle(newest),
    commit: newest.gitSha === null ? null : graph.about(newest.gitSha),
  };
}

const keyOf = (run: EvalRun): string =>
  [run.suite, run.tier, judgeKey(run), variantKey(run), run.gitBranch ?? ""].join("\u0000");

const stateKey = (line: RunLine): string => `${stateOf(line)}\u0000${line.promptSha ?? ""}`;

function earlierStates(before: RunLine, lines: readonly RunLine[], byLine: ReadonlyMap<RunLine, TeamStoreRun>) {
  const key = keyOf(byLine.get(before)!.run);
  const older = lines
    .filter(
      (line) => line.at < before.at && keyOf(byLine.get(line)!.run) === key && stateKey(line) !== stateKey(before),
    )
    .toSorted((one, other) => (one.at < other.at ? 1 : -1));
  return [...Map.groupBy(older, stateKey).values()].slice(0, mostEarlier);
}

function lineOf({ run, isPartial }: TeamStoreRun): RunLine {
  const { runId, suite, label, tier, at, gitSha, gitBranch, promptSha, model, host, totals, durationMs, source } = run;
  return {
    ...{ runId, suite, label, tier, at, gitSha, gitBranch, promptSha, model, host, durationMs, source, isPartial },
    ...totals,
    provider: run.provider ?? null,
    variant: run.variant ?? null,
    matrix: run.matrix ?? null,
    judgeKey: judgeKey(run),
    attempt: 1,
    actualUsd: 0,
    estimatedUsd: 0,
    unpricedCalls: 0,
  };
}

export interface SuiteSides {
  readonly before: readonly { readonly run: EvalRun; readonly results: readonly EvalResult[] }[];
  readonly now: SuiteSides["before"];
  /** Nearest first. */
  readonly earlier: readonly SuiteSides["before"][];
}

export interface SuiteVerdict {
  readonly verdict: EvalVerdict;
  readonly reason: string;
  readonly rateBefore: number | null;
  readonly rateNow: number | null;
  /** Proven ones first. */
  readonly broken: readonly { readonly name: string; readonly passes: number; readonly results: number }[];
}

export function judgeSuiteLine({ before, now, earlier }: SuiteSides): SuiteVerdict {
  const report = compareRuns(before, now, { alpha: 0.01, verdictOnly: true, history: historyOf(earlier) });
  const [suite] = report.suites;
  const broken = (suite?.broken ?? []).toSorted((one, other) => Number(other.isProven) - Number(one.isProven));
  return {
    verdict: report.verdict,
    reason: suite?.reason ?? report.headline,
    rateBefore: suite?.pass?.rateA ?? null,
    rateNow: suite?.pass?.rateB ?? null,
    broken: broken.map(({ name, renamedTo, passesB, resultsB }) => ({
      name: renamedTo ?? name,
      passes: passesB,
      results: resultsB,
    })),
  };
}

function historyOf(earlier: SuiteSides["earlier"]) {
  const states = earlier.toReversed().map((runs) => {
    const counts = new Map<string, { passes: number; results: number }>();
    for (const { name, inputSha, status } of runs.flatMap(({ results }) => results)) {
      if (status !== "pass" && status !== "fail") continue;
      const key = caseKeyOf(name, inputSha);
      const own = counts.get(key) ?? { passes: 0, results: 0 };
      counts.set(key, { passes: own.passes + Number(status === "pass"), results: own.results + 1 });
    }
    return counts;
  });
  return (_suite: string, name: string, inputSha: string | null) =>
    states.flatMap((counts) => counts.get(caseKeyOf(name, inputSha)) ?? []);
}

const caseKeyOf = (name: string, inputSha: string | null): string => `${inputSha ?? ""}\u0000${name}`;
