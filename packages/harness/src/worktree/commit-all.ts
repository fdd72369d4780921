/**
 * Commits what an attempt left in its worktree, once.
 *
 * - `commitAll(options)` commits everything that is not ignored, with trailers and without hooks. Repeated after a crash it
 *   returns the existing commit; if nothing changed, it returns the head and `changed: false`.
 *
 * `withheld` files (the repository's `copy`) are never committed, even if they are not ignored.
 */
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { type ChangedPath, type GitIdentity, type GitOptions, git, repositoryStatus } from "@devflow/git";
import { clearStaleLocks } from "./live-git.ts";
import { type CommitTrailers, hasTrailers, withTrailers } from "./trailers.ts";
import type { Place } from "./worktree-entries.ts";

export interface CommitAllOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly worktree: string;
  readonly message: string;
  readonly trailers: CommitTrailers;
  readonly identity: GitIdentity;
  /** The branch that the worktree must be on; by default any. */
  readonly branch?: string;
  /** The head before the attempt: with it, the agent's own commits count as a change too. */
  readonly since?: string;
  /** Paths inside the worktree that stay out of every commit. */
  readonly withheld?: readonly string[];
}

export interface CommitAnswer {
  readonly commit: string;
  readonly changed: boolean;
}

export async function commitAll(options: CommitAllOptions): Promise<CommitAnswer> {
  const { worktree, env, signal, withheld = [] } = options;
  const place: Place = { cwd: worktree, ...(env && { env }), ...(signal && { signal }) };
  await clearStaleLocks(worktree, await ownLocks(place), signal);
  const status = await repositoryStatus(place);
  requireBranch(status.branch, options);
  requireNoConflicts(status.changes, worktree);
  if (isDirty(status.changes, withheld)) await git(["add", "--all"], { ...place, paths: ["."] });
  if (withheld.length > 0) await git(["reset", "--quiet"], { ...place, paths: withheld });
  faultPoint("afterAddBeforeCommit");
  if (await isStaged(place)) {
    const input = withTrailers(options.message, options.trailers);
    const words = ["--quiet", "--no-verify", "--cleanup=verbatim", "--file=-"];
    await git(["commit", ...words], { ...place, identity: options.identity, input });
    faultPoint("afterCommitBeforeRecord");
    return { commit: await head(place), changed: true };
  }
  const commit = await head(place);
  return { commit, changed: commit !== (options.since ?? commit) || (await isOurs(commit, options, place)) };
}

/** The locks of this worktree and its branch; locks shared by all worktrees are left to their holders. */
export async function ownLocks(place: Place): Promise<string[]> {
  const { stdout } = await git(["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"], place);
  const [own = "", common = ""] = stdout.split("\n");
  const reference = await git(["symbolic-ref", "--quiet", "HEAD"], { ...place, answers: [1] });
  const branch = reference.stdout.trim();
  return [join(own, "index.lock"), join(own, "HEAD.lock"), ...(branch ? [join(common, `${branch}.lock`)] : [])];
}

function isDirty(changes: readonly ChangedPath[], withheld: readonly string[]): boolean {
  return changes.some(({ path }) => !withheld.some((name) => path === name || path.startsWith(`${name}/`)));
}

/** Exit code 1 means a difference. */
async function isStaged(place: Place): Promise<boolean> {
  return (await git(["diff", "--cached", "--quiet"], { ...place, answers: [1] })).exit === 1;
}

async function isOurs(commit: string, { trailers }: CommitAllOptions, place: Place): Promise<boolean> {
  const { stdout } = await git(["cat-file", "commit", commit], place);
  return hasTrailers(stdout.slice(stdout.indexOf("\n\n") + 2), trailers);
}

async function head(place: Place): Promise<string> {
  return (await git(["rev-parse", "--verify", "HEAD"], place)).stdout.trim();
}

function requireBranch(found: string | undefined, { branch, worktree }: CommitAllOptions): void {
  if (found !== undefined && (branch === undefined || branch === found)) return;
  const problem = `The worktree ${worktree} is on ${found ?? "no branch"}, but ${branch ?? "a branch"} was expected.`;
  throw new DevflowError("conflict", { details: { problem, next: `Check it: git -C ${worktree} status` } });
}

/** Adding them would mark the conflicts as resolved. */
function requireNoConflicts(changes: readonly ChangedPath[], worktree: string): void {
  const paths = changes.filter((change) => change.isConflict).map((change) => change.path);
  if (paths.length === 0) return;
  const problem = `A merge was left unfinished in ${worktree}: ${paths.slice(0, 5).join(", ")}.`;
  throw new DevflowError("conflict", { details: { problem, next: `Finish it: git -C ${worktree} status` } });
}
