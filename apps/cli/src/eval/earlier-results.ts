/**
 * What each case did on the commits before the baseline, which shows how steady it is.
 *
 * - `earlierResults(store, sides)` the `history` option of compare, oldest first; only runs of the baseline's judge.
 */
import { type CompareOptions, runName } from "@devflow/evals/compare";
import type { EvalStore, RunLine } from "@devflow/evals/store";
import type { Sides } from "./choose-sides.ts";

interface Counts {
  passes: number;
  results: number;
}

export async function earlierResults(store: EvalStore, { a, earlier }: Sides): Promise<CompareOptions["history"]> {
  const groupKey = ({ suite, tier, judgeKey }: RunLine) => `${suite}\u0000${tier}\u0000${judgeKey}`;
  const wanted = new Set(a.map(groupKey));
  const byCase = new Map<string, Counts[]>();
  for (const runs of earlier.toReversed()) {
    const commit = new Map<string, Counts>();
    const own = runs.filter((run) => wanted.has(groupKey(run)));
    for (const { line, rows } of await store.resultsFor(own.map(runName))) {
      for (const { name, inputSha, status } of rows) {
        if (status !== "pass" && status !== "fail") continue;
        const key = keyOf(line.suite, name, inputSha);
        const counts = commit.get(key) ?? { passes: 0, results: 0 };
        commit.set(key, counts);
        counts.results += 1;
        if (status === "pass") counts.passes += 1;
      }
    }
    for (const [key, counts] of commit) byCase.set(key, [...(byCase.get(key) ?? []), counts]);
  }
  return (suite, name, inputSha) => byCase.get(keyOf(suite, name, inputSha)) ?? [];
}

const keyOf = (suite: string, name: string, inputSha: string | null): string =>
  `${suite}\u0000${inputSha ?? ""}\u0000${name}`;
