/**
 * One worktree for one lane of a run, made so that the call can be cut short anywhere and repeated.
 *
 * - `makeWorktree(options)` the worktree at `root` on `branch`; says how it came to be.
 *
 * What a repeat may find, and what it does about it:
 * - a worktree of that branch, whole: adopted as it is, with whatever work is in it.
 * - one that git had not finished (git's own lock says `initializing`), or whose folder is gone: forgotten and made anew.
 *   Only that one entry is forgotten; `git worktree prune` would also forget a user's worktree on an unmounted disk.
 * - the branch without a worktree: reused when it contains the base commit.
 * - git still at work on it, left by a process that was killed: waited for.
 * - anything else at that path, or the branch elsewhere: a `conflict` that says what; nothing is removed.
 */
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { type GitOptions, git } from "@devflow/git";
import { isThere } from "./is-there.ts";
import { clearStaleLocks, untilNoWorktreeAdd } from "./live-git.ts";
import { realPlace } from "./places.ts";
import { type Place, type WorktreeEntry, worktreeEntries } from "./worktree-entries.ts";

export interface MakeWorktreeOptions extends Pick<GitOptions, "env" | "signal"> {
  /** The repository's root, as `canonicalRepository` gives it. */
  readonly repository: string;
  /** The worktree's own folder; see `worktreePath`. */
  readonly root: string;
  /** See `worktreeBranch`. */
  readonly branch: string;
  readonly baseCommit: string;
}

const worktreeOrigins = ["made", "adopted", "mended", "branch reused"] as const;
export type WorktreeOrigin = (typeof worktreeOrigins)[number];

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** Where its head is now; the base commit when it is new. */
  readonly commit: string;
  readonly origin: WorktreeOrigin;
}

/** Calls for one folder wait for each other: what the second finds is then whole. Only one process has a workspace. */
const making = new Map<string, Promise<unknown>>();

export async function makeWorktree(options: MakeWorktreeOptions): Promise<Worktree> {
  const before = making.get(options.root) ?? Promise.resolve();
  const mine = before.then(() => tryTwice(options));
  const settled = mine.catch(() => {});
  making.set(options.root, settled);
  try {
    return await mine;
  } finally {
    if (making.get(options.root) === settled) making.delete(options.root);
  }
}

async function tryTwice(options: MakeWorktreeOptions): Promise<Worktree> {
  try {
    return await tryOnce(options);
  } catch (error) {
    // Somebody else's git was quicker, or wrote at the same moment: what is there now decides.
    if (!(error instanceof DevflowError) || error.code !== "git_failed") throw error;
    return tryOnce(options);
  }
}

async function tryOnce(options: MakeWorktreeOptions): Promise<Worktree> {
  const { repository, branch, baseCommit, root, ...rest } = options;
  const place: Place = { ...rest, cwd: repository };
  const path = await realPlace(root);
  await makeParent(path);
  await untilNoWorktreeAdd(path, options.signal);
  const base = await resolveBase(baseCommit, place);
  await requireUsableName(branch, place);

  const entries = await worktreeEntries(place);
  const entry = entries.find((one) => one.path === path);
  const branchHead = await headOf(branch, place);
  if (branchHead !== undefined) await requireDescent({ branch, branchHead, base, place });

  if (entry && !(await isHalfMade(entry))) return adopt(entry, branch);
  if (entry) await forget(entry, [base, ...(branchHead === undefined ? [] : [branchHead])], place);
  else await requireFree(path);

  const elsewhere = entries.find((one) => one.branch === branch && one !== entry);
  if (elsewhere) {
    const next = `Look at it: git -C ${elsewhere.path} status`;
    throw conflict(`The branch ${branch} is checked out in ${elsewhere.path} already.`, next);
  }
  await add({ path, branch, base, branchHead, place });
  const origin = entry ? "mended" : branchHead === undefined ? "made" : "branch reused";
  return { path, branch, commit: branchHead ?? base, origin };
}

async function makeParent(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = (error as Error).message;
    throw new DevflowError("workspace_permissions", { details: { path: dirname(path), reason }, cause: error });
  }
}

interface NewWorktree {
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  readonly branchHead: string | undefined;
  readonly place: Place;
}

async function add({ path, branch, base, branchHead, place }: NewWorktree): Promise<void> {
  const { stdout } = await git(["rev-parse", "--path-format=absolute", "--git-common-dir"], place);
  await clearStaleLocks(place.cwd, [join(stdout.trim(), "refs", "heads", `${branch}.lock`)], place.signal);
  faultPoint("beforeWorktreeAdd");
  // The branch is made by the same command: without a worktree it is reused by the next try.
  const words = branchHead === undefined ? ["--no-track", "-b", branch] : [];
  const revisions = [path, branchHead === undefined ? base : branch];
  await git(["worktree", "add", "--quiet", ...words], { ...place, revisions });
  faultPoint("afterWorktreeAdd");
}

function adopt(entry: WorktreeEntry, branch: string): Worktree {
  if (entry.branch !== branch || entry.head === undefined) {
    const found = entry.branch === undefined ? "no branch (its head is detached)" : `the branch ${entry.branch}`;
    const problem = `The worktree ${entry.path} is on ${found}, and ${branch} was expected.`;
    throw conflict(problem, `Put it back: git -C ${entry.path} switch ${branch}`);
  }
  return { path: entry.path, branch, commit: entry.head, origin: "adopted" };
}

/** Git locks a worktree with this word while it makes it; nobody but git has been in there then. */
async function isHalfMade(entry: WorktreeEntry): Promise<boolean> {
  if (entry.lockedFor === "initializing" || entry.isPrunable) return true;
  return !(await isThere(join(entry.path, ".git")));
}

async function forget(entry: WorktreeEntry, commits: readonly string[], place: Place): Promise<void> {
  const foreign = await foreignFiles(entry.path, commits, place);
  if (foreign.length > 0) {
    const sample = foreign.slice(0, 3).join(", ");
    const problem = `The half-made worktree ${entry.path} holds files that are in no commit (${sample}).`;
    throw conflict(problem, `Move them away, then try again: ls -la ${entry.path}`);
  }
  await rm(entry.path, { recursive: true, force: true });
  // Twice: once for what is missing, once for git's own lock.
  await git(["worktree", "remove", "--force", "--force"], { ...place, revisions: [entry.path] });
}

/** Files that git did not put there. One cut short by the crash has its tracked name all the same. */
async function foreignFiles(path: string, commits: readonly string[], place: Place): Promise<string[]> {
  const found = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((one) => !one.isDirectory()).map((one) => relative(path, join(one.parentPath, one.name)));
  if (files.length === 0) return [];
  const known = new Set([".git"]);
  for (const commit of commits) {
    const { stdout } = await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit], place);
    for (const name of stdout.split("\0")) known.add(name);
  }
  return files.filter((file) => !known.has(file));
}

async function requireFree(path: string): Promise<void> {
  const names = await readdir(path).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR") return ["."];
    throw error;
  });
  if (names.length === 0) return;
  throw conflict(`${path} is there already and is no worktree of this repository.`, `Look at it: ls -la ${path}`);
}

async function resolveBase(commit: string, place: Place): Promise<string> {
  const revisions = [`${commit}^{commit}`];
  const found = await git(["rev-parse", "--verify", "--quiet"], { ...place, revisions, answers: [1, 128] });
  if (found.exit === 0) return found.stdout.trim().split("\n").at(-1) ?? "";
  const next = `Fetch it, or start from another one: git -C ${place.cwd} log --oneline -5`;
  throw new DevflowError("not_found", { details: { what: `The commit ${commit}`, next } });
}

/** A branch called `devflow` or `devflow/<run>` takes the name of the folder that ours would be in. */
async function requireUsableName(branch: string, place: Place): Promise<void> {
  const valid = await git(["check-ref-format", `refs/heads/${branch}`], { ...place, answers: [1] });
  if (valid.exit !== 0 || branch.startsWith("-")) {
    const details = {
      problem: `${JSON.stringify(branch)} cannot be the name of a branch.`,
      next: "See: git help check-ref-format",
    };
    throw new DevflowError("input_invalid", { details });
  }
  const words = branch.split("/");
  for (let count = 1; count < words.length; count++) {
    const shorter = words.slice(0, count).join("/");
    if ((await headOf(shorter, place)) === undefined) continue;
    const next = `Rename it: git -C ${place.cwd} branch -m ${shorter} ${shorter}-old`;
    throw conflict(`The branch ${shorter} stands in the way of ${branch}.`, next);
  }
}

async function headOf(branch: string, place: Place): Promise<string | undefined> {
  const found = await git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { ...place, answers: [1] });
  return found.stdout.trim() || undefined;
}

interface Descent {
  readonly branch: string;
  readonly branchHead: string;
  readonly base: string;
  readonly place: Place;
}

async function requireDescent({ branch, branchHead, base, place }: Descent): Promise<void> {
  const { exit } = await git(["merge-base", "--is-ancestor", base, branchHead], { ...place, answers: [1] });
  if (exit === 0) return;
  const problem = `The branch ${branch} is there already and does not contain the base commit ${base.slice(0, 12)}.`;
  throw conflict(problem, `Look at it: git -C ${place.cwd} log --oneline -5 ${branch}`);
}

function conflict(problem: string, next: string): DevflowError {
  return new DevflowError("conflict", { details: { problem, next } });
}
