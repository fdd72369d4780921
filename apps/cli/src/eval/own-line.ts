/**
 * The runs of one line of development: other branches stay out of a trend, a list of flaky cases and a summary.
 *
 * - `ownLine(lines, choice, context)` the runs on commits before HEAD (or on the branch that was asked for); outside a repository,
 *   those of the main branch, or of the newest run's branch. Runs without a commit or a branch are kept.
 */
import type { CommandContext } from "@devflow/core/command";
import { branchLine, commitGraph } from "@devflow/evals/compare";
import type { EvalStore, RunLine } from "@devflow/evals/store";
import { openCommits } from "./commits.ts";

export interface LineChoice {
  readonly branch?: string | undefined;
  readonly allBranches: boolean;
}

export async function ownLine(
  store: EvalStore,
  lines: readonly RunLine[],
  { branch, allBranches }: LineChoice,
  context: CommandContext,
): Promise<RunLine[]> {
  if (allBranches || branch !== undefined) return [...lines];
  const commits = await openCommits(context);
  const head = await commits?.head();
  if (!commits || !head) return branchLine(lines, commitGraph(store.commits())).lines;
  const before = new Set(await commits.ancestors(head));
  const own = await commits.branch();
  const isBefore = (sha: string) =>
    before.has(sha) || (sha.length < 40 && [...before].some((one) => one.startsWith(sha)));
  return lines.filter(
    ({ gitSha, gitBranch }) => gitSha === null || isBefore(gitSha) || (gitBranch !== null && gitBranch === own),
  );
}
