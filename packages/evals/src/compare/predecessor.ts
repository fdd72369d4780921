/**
 * The predecessor of a run: the run that `eval push`, `eval show` and the page compare it with, and that `eval compare` uses
 * where no commit decides.
 *
 * - `predecessorOf(line, lines)` the newest earlier run of the same suite, tier and judge, and of the same model if both name
 *   one. A run of another state (another commit, or another prompt on the same commit) is preferred, first on its own branch
 *   and then on any; otherwise it is an earlier attempt at the same state.
 * - `stateOf(line)` a key of the run's commit; a run without one has its own key.
 */
import type { RunLine } from "../store/index.ts";
import { runName } from "./stored-runs.ts";

export function predecessorOf(line: RunLine, lines: readonly RunLine[]): RunLine | undefined {
  const earlier = lines.filter((one) => isBefore(one, line) && isComparable(one, line)).toSorted(newestFirst);
  const others = earlier.filter((one) => stateOf(one) !== stateOf(line) || hasOtherPrompt(one, line));
  return others.find(({ gitBranch }) => gitBranch === line.gitBranch) ?? others[0] ?? earlier[0];
}

export const stateOf = (line: Pick<RunLine, "suite" | "runId" | "gitSha">): string =>
  line.gitSha === null ? runName(line) : `commit:${line.gitSha}`;

const isComparable = (one: RunLine, other: RunLine): boolean =>
  one.suite === other.suite &&
  one.tier === other.tier &&
  one.judgeKey === other.judgeKey &&
  (one.model === other.model || one.model === null || other.model === null);

const hasOtherPrompt = (one: RunLine, other: RunLine): boolean =>
  one.promptSha !== null && other.promptSha !== null && one.promptSha !== other.promptSha;

/** Runs of the same moment are ordered by attempt, then by name. */
const isBefore = (one: RunLine, other: RunLine): boolean => newestFirst(one, other) > 0;

function newestFirst(one: RunLine, other: RunLine): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  if (one.attempt !== other.attempt) return other.attempt - one.attempt;
  const [a, b] = [runName(one), runName(other)];
  return a === b ? 0 : a > b ? -1 : 1;
}
