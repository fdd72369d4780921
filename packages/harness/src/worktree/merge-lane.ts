/**
 * Merges a lane into the branch of its run, in two steps that can each be repeated after a crash.
 *
 * - `makeMerge(options)` the commit of a clean merge; no branch and no folder is touched yet. The caller records it.
 * - `moveTo(options)` brings a worktree and its branch to that commit, from the commit it was made on or from a state that
 *   an interrupted call left. Work that nobody recorded is an error and is kept.
 */
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { type GitIdentity, type GitOptions, git, repositoryStatus } from "@devflow/git";
import { ownLocks } from "./commit-all.ts";
import { clearStaleLocks } from "./live-git.ts";

export interface MergeOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly repository: string;
  readonly message: string;
  /** By full name: `Devflow-Lane`. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly identity: GitIdentity;
  /** From `previewMerge`. */
  readonly tree: string;
  readonly ours: string;
  readonly theirs: string;
}

export async function makeMerge({ repository, tree, ours, theirs, ...options }: MergeOptions): Promise<string> {
  const { message, trailers, identity, ...rest } = options;
  const lines = Object.entries(trailers).map(
    ([name, value]) => `${name}: ${value.replaceAll(/[\r\n\0]+/g, " ").trim()}`,
  );
  const input = `${message.replaceAll("\0", "").trim()}\n\n${lines.join("\n")}\n`;
  const words = [tree, "-p", ours, "-p", theirs, "-F", "-"];
  return (await git(["commit-tree", ...words], { ...rest, cwd: repository, identity, input })).stdout.trim();
}

export interface MoveOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly worktree: string;
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** Files that are not committed and do not count: those that the repository lends to runs. */
  readonly withheld?: readonly string[];
}

export interface UntouchedOptions extends Omit<MoveOptions, "to"> {
  /** Paths that the merge changes: a file that git does not know must not be among them. */
  readonly changes: readonly string[];
}

/**
 * Throws a `conflict` if the branch is elsewhere, or if somebody left work that the merge would overwrite. Files that tests
 * leave behind do no harm.
 */
export async function requireUntouched(options: UntouchedOptions): Promise<void> {
  const { worktree, branch, from, changes, withheld = [], ...rest } = options;
  const place = { ...rest, cwd: worktree };
  const status = await repositoryStatus(place);
  const head = (await git(["rev-parse", "--verify", "HEAD"], place)).stdout.trim();
  if (status.branch !== branch || head !== from) {
    const problem = `The worktree ${worktree} is on ${status.branch ?? "no branch"} at ${head.slice(0, 10)}, but ${branch} at ${from.slice(0, 10)} was expected.`;
    throw conflict(problem, `Check it: git -C ${worktree} log --oneline -5`);
  }
  const isWithheld = (path: string) => withheld.some((name) => path === name || path.startsWith(`${name}/`));
  const isInTheWay = (path: string) => changes.some((name) => name === path || name.startsWith(path));
  const left = status.changes
    .filter(({ path, index }) => !isWithheld(path) && (index !== "?" || isInTheWay(path)))
    .map(({ path }) => path);
  if (left.length === 0) return;
  const problem = `The worktree ${worktree} has work that is not committed: ${left.slice(0, 5).join(", ")}.`;
  throw conflict(problem, `Commit it or move it away: git -C ${worktree} status`);
}

export async function moveTo({ worktree, branch, from, to, ...rest }: MoveOptions): Promise<void> {
  const place = { ...rest, cwd: worktree };
  await clearStaleLocks(worktree, await ownLocks(place), rest.signal);
  const { stdout } = await git(["symbolic-ref", "--short", "HEAD"], place);
  const head = (await git(["rev-parse", "--verify", "HEAD"], place)).stdout.trim();
  if (stdout.trim() !== branch || (head !== from && head !== to)) {
    const problem = `The branch ${branch} moved to ${head.slice(0, 10)} while a lane was merged into it.`;
    throw conflict(problem, `Check it: git -C ${worktree} log --oneline -5`);
  }
  faultPoint("beforeMergeApplied");
  // Nobody works in this folder while lanes are merged, and the caller has seen that it is clean: what differs now is
  // what an interrupted call left.
  // The commit is one that `makeMerge` returned; `git reset` takes no end of options before it.
  await git(["reset", "--hard", "--quiet", to], place);
  faultPoint("afterMergeApplied");
}

const conflict = (problem: string, next: string): DevflowError =>
  new DevflowError("conflict", { details: { problem, next } });
