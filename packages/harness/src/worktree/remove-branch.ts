/**
 * The branch of a run that has ended.
 *
 * - `branchIsMerged(options)` whether another branch contains it; undefined if it does not exist.
 * - `removeMergedBranch(options)` deletes it only if another branch contains it, so that no commit is lost.
 */
import { type GitOptions, git } from "@devflow/git";

interface BranchOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly branch: string;
  /** The branch that must contain it. */
  readonly into: string;
}

export async function branchIsMerged({
  repository,
  branch,
  into,
  ...rest
}: BranchOptions): Promise<boolean | undefined> {
  const place = { ...rest, cwd: repository };
  const [tip, target] = await Promise.all([tipOf(branch, place), tipOf(into, place)]);
  if (tip === undefined) return undefined;
  if (target === undefined) return false;
  return (await git(["merge-base", "--is-ancestor", tip, target], { ...place, answers: [1] })).exit === 0;
}

export async function removeMergedBranch(options: BranchOptions): Promise<boolean> {
  const { repository, branch, into: _into, ...rest } = options;
  const place = { ...rest, cwd: repository };
  const tip = await tipOf(branch, place);
  if (tip === undefined || !(await branchIsMerged(options))) return false;
  // With its old value: a commit that was added meanwhile keeps the branch.
  const { exit } = await git(["update-ref", "-d", `refs/heads/${branch}`, tip], { ...place, answers: [1, 128] });
  return exit === 0;
}

async function tipOf(branch: string, place: GitOptions): Promise<string | undefined> {
  const found = await git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], {
    ...place,
    answers: [1, 128],
  });
  return found.exit === 0 ? found.stdout.trim() || undefined : undefined;
}
