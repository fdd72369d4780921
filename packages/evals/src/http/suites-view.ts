/** - `suitesView(store)` the suites and their current pass rates, from the index. */
import type { EvalSuiteList } from "@devflow/protocol";
import { commitGraph, suiteTierKey, variantKey } from "../compare/index.ts";
import type { EvalStore, RunLine } from "../store/index.ts";
import { commitOf, lineView, statesOf } from "./run-line.ts";

const [mostRuns, mostStates] = [1000, 40];

export function suitesView(store: EvalStore): EvalSuiteList {
  const { runs, matching } = store.list({ limit: mostRuns });
  const groups = Map.groupBy(runs, suiteTierKey);
  const graph = commitGraph(store.commits());
  const distinct = <Word extends string>(pick: (line: RunLine) => Word | null): Word[] =>
    [...new Set(runs.flatMap((line) => pick(line) ?? []))].sort();
  return {
    suites: [...groups.values()].flatMap((own) => {
      const [latest] = own;
      if (!latest) return [];
      const ofLatest = own.filter((line) => variantKey(line) === variantKey(latest));
      const states = statesOf(ofLatest).slice(-mostStates);
      const variants = new Set(own.map(variantKey)).size;
      const commit = commitOf(graph, latest.gitSha);
      return {
        suite: latest.suite,
        tier: latest.tier,
        runs: own.length,
        variants,
        commit,
        latest: lineView(latest),
        states,
      };
    }),
    branches: distinct(({ gitBranch }) => gitBranch),
    labels: distinct(({ label }) => label),
    tiers: distinct(({ tier }) => tier),
    runs: matching,
  };
}
