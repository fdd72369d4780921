/**
 * What each case did on the commits before the baseline, which shows how steady it is.
 *
 * - `earlierResults(store, sides, theirs)` the `history` option of compare, oldest first; only runs of the baseline's judge. Compare
 *   asks only for cases that changed, so each is looked up in the index instead of reading all runs. `theirs` are the results of
 *   teammates' runs.
 */
import { caseKey } from "@devflow/evals";
import { type CompareOptions, runName } from "@devflow/evals/compare";
import type { EvalStore, RunLine } from "@devflow/evals/store";
import type { Sides } from "./choose-sides.ts";
import type { CasePoint } from "./team-runs.ts";

/** Results of one case; enough for twenty commits with many repeats. */
const mostPoints = 5000;

export function earlierResults(
  store: EvalStore,
  { a, earlier }: Sides,
  theirs: (suite: string, caseKey: string) => readonly CasePoint[] = () => [],
): NonNullable<CompareOptions["history"]> {
  const groupKey = ({ suite, tier, judgeKey }: RunLine) => `${suite}\u0000${tier}\u0000${judgeKey}`;
  const wanted = new Set(a.map(groupKey));
  /** The place of each run's commit in the history, oldest first. */
  const commits = new Map<string, number>();
  earlier.toReversed().forEach((runs, at) => {
    for (const run of runs) if (wanted.has(groupKey(run))) commits.set(runName(run), at);
  });
  if (commits.size === 0) return () => [];
  return (suite, name, inputSha) => {
    const counts = new Map<number, { passes: number; results: number }>();
    const key = caseKey(name, inputSha);
    const points = [...store.history({ suite, case: key, limit: mostPoints }), ...theirs(suite, key)];
    for (const { runId, status } of points) {
      const at = commits.get(runName({ suite, runId }));
      if (at === undefined || (status !== "pass" && status !== "fail")) continue;
      const own = counts.get(at) ?? { passes: 0, results: 0 };
      own.results += 1;
      if (status === "pass") own.passes += 1;
      counts.set(at, own);
    }
    return [...counts].toSorted(([one], [other]) => one - other).map(([, own]) => own);
  };
}
