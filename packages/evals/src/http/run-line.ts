/**
 * A run as a row of the eval screens.
 *
 * - `lineView(line)`, `refOf(line)`, `stateOf(line)` the name of its state: its commit, or the run itself.
 * - `statesOf(lines)` runs of one suite and tier pooled by commit, oldest first.
 */
import type { EvalCommit, EvalRunLine, EvalState } from "@devflow/protocol";
import { type CommitGraph, runName, stateOf } from "../compare/index.ts";
import { wilsonInterval } from "../statistics/index.ts";
import type { RunLine } from "../store/index.ts";

export { runName as refOf, stateOf };

export function lineView(line: RunLine): EvalRunLine {
  return { ...line, ref: runName(line), ...rateOf(line.passed, line.passed + line.failed) };
}

/** What is known of a commit; null if no run recorded it. */
export function commitOf(graph: CommitGraph, sha: string | null): EvalCommit | null {
  const found = sha === null ? null : graph.about(sha);
  return found && { sha: found.sha, subject: found.subject ?? "", author: found.author ?? "", at: found.at };
}

export function rateOf(passes: number, results: number) {
  return { passRate: results === 0 ? null : passes / results, interval: wilsonInterval(passes, results) };
}

export function statesOf(lines: readonly RunLine[]): EvalState[] {
  const groups = Map.groupBy(
    lines.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
    stateOf,
  );
  return [...groups].map(([id, runs]) => {
    const sum = (pick: (line: RunLine) => number) => runs.reduce((total, line) => total + pick(line), 0);
    const passes = sum(({ passed }) => passed);
    const results = passes + sum(({ failed }) => failed);
    return {
      id,
      sha: runs[0]?.gitSha ?? null,
      branch: runs[0]?.gitBranch ?? null,
      at: runs[0]?.at ?? "",
      runs: runs.map(runName),
      passes,
      results,
      errors: sum(({ errors }) => errors),
      ...rateOf(passes, results),
      usd: sum(({ actualUsd, estimatedUsd }) => actualUsd + estimatedUsd),
    };
  });
}
