/**
 * The run before a run: what `eval push` and `eval show` hold it against, what the page offers for a comparison, and what
 * `eval compare` takes where no commit says where to begin. One rule for all of them.
 *
 * - `predecessorOf(line, lines)` the newest run before it that may be compared with it: of the same suite, tier and judge,
 *   and of the same model where both name one. A run of another state comes first (another commit, or another prompt on
 *   the same one), on its own branch and then on any; else an earlier attempt at the same state.
 * - `stateOf(line)` names the commit that a run belongs to; a run without one stands alone.
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

/** Runs of one moment have an order too, the same everywhere: by name. */
const isBefore = (one: RunLine, other: RunLine): boolean => newestFirst(one, other) > 0;

function newestFirst(one: RunLine, other: RunLine): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  const [a, b] = [runName(one), runName(other)];
  return a === b ? 0 : a > b ? -1 : 1;
}
