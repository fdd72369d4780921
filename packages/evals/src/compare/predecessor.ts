/**
 * The predecessor of a run: the run that `eval push`, `eval show` and the page compare it with, and that `eval compare` uses
 * where no commit decides.
 *
 * - `predecessorOf(line, lines, graph)` the newest earlier run of the same suite, tier, judge, model and variant, on the run's own
 *   branch, or else on a commit before it, or else on the main branch; runs of other branches never. A run of another state (another
 *   commit, or another prompt on the same commit) is preferred; otherwise it is an earlier attempt at the same state.
 * - `stateOf(line)` a key of the run's commit; a run without one has its own key.
 */
import type { RunLine } from "../store/index.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { runName } from "./stored-runs.ts";

const trunks: readonly (string | null)[] = ["main", "master", "trunk"];

export function predecessorOf(line: RunLine, lines: readonly RunLine[], graph?: CommitGraph): RunLine | undefined {
  const earlier = lines.filter((one) => isBefore(one, line) && isComparable(one, line)).toSorted(newestFirst);
  const before = new Set(line.gitSha === null ? [] : graph?.ancestors(line.gitSha));
  const related = [
    earlier.filter(({ gitBranch }) => gitBranch === line.gitBranch),
    earlier.filter(({ gitSha }) => gitSha !== null && before.has(gitSha)),
    earlier.filter(({ gitBranch }) => trunks.includes(gitBranch)),
  ];
  const isOther = (one: RunLine) => stateOf(one) !== stateOf(line) || hasOtherPrompt(one, line);
  for (const runs of related) {
    const found = runs.find(isOther);
    if (found) return found;
  }
  return related.find((runs) => runs.length > 0)?.[0];
}

/**
 * One line of development among runs of several branches: that of the main branch, or else of the newest run. A run belongs to it by
 * its branch, by a commit before the line's newest, or because it names neither.
 */
export function branchLine(
  lines: readonly RunLine[],
  graph: CommitGraph,
): { readonly branch: string | null; readonly lines: RunLine[] } {
  const newest = lines.toSorted(newestFirst).find(({ gitBranch }) => gitBranch !== null);
  const branch =
    trunks.find((trunk) => lines.some(({ gitBranch }) => gitBranch === trunk)) ?? newest?.gitBranch ?? null;
  if (branch === null) return { branch, lines: [...lines] };
  const tip = lines.toSorted(newestFirst).find((line) => line.gitBranch === branch)?.gitSha ?? null;
  const before = new Set(tip === null ? [] : graph.ancestors(tip));
  const isOwn = ({ gitBranch, gitSha }: RunLine) =>
    gitBranch === branch || gitBranch === null || (gitSha !== null && before.has(gitSha));
  return { branch, lines: lines.filter(isOwn) };
}

export const stateOf = (line: Pick<RunLine, "suite" | "runId" | "gitSha">): string =>
  line.gitSha === null ? runName(line) : `commit:${line.gitSha}`;

const isComparable = (one: RunLine, other: RunLine): boolean =>
  !one.isPartial &&
  one.suite === other.suite &&
  one.tier === other.tier &&
  one.judgeKey === other.judgeKey &&
  isSame(one.model, other.model) &&
  isSame(one.provider, other.provider) &&
  one.variant === other.variant;

/** A run that names none may have used any. */
const isSame = (one: string | null, other: string | null): boolean => one === other || one === null || other === null;

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
