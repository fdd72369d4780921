/** - `suitesView(store)` the suites and their current pass rates, from the index. */
import type { EvalSuiteList } from "@devflow/protocol";
import { suiteTierKey } from "../compare/index.ts";
import type { EvalStore, RunLine } from "../store/index.ts";
import { lineView, statesOf } from "./run-line.ts";

const [mostRuns, mostStates] = [1000, 40];

export function suitesView(store: EvalStore): EvalSuiteList {
  const { runs, matching } = store.list({ limit: mostRuns });
  const groups = Map.groupBy(runs, suiteTierKey);
  const distinct = <Word extends string>(pick: (line: RunLine) => Word | null): Word[] =>
    [...new Set(runs.flatMap((line) => pick(line) ?? []))].sort();
  return {
    suites: [...groups.values()].flatMap((own) => {
      const [latest] = own;
      if (!latest) return [];
      const states = statesOf(own).slice(-mostStates);
      return { suite: latest.suite, tier: latest.tier, runs: own.length, latest: lineView(latest), states };
    }),
    branches: distinct(({ gitBranch }) => gitBranch),
    labels: distinct(({ label }) => label),
    tiers: distinct(({ tier }) => tier),
    runs: matching,
  };
}
