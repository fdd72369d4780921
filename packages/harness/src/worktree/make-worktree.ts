/**
 * Creates one worktree for one lane of a run; the call can be interrupted anywhere and repeated.
 *
 * - `makeWorktree(options)` the worktree at `root` on `branch`, and how it was obtained.
 *
 * What a repeated call may find, and how it reacts:
 * - a complete worktree of that branch: adopted as it is, with its work.
 * - one that git had not finished (git's own lock says `initializing`), or whose folder is gone: removed and created again.
 *   Only that one entry is removed; `git worktree prune` would also remove a user's worktree on an unmounted disk.
 * - the branch without a worktree: reused when it contains the base commit.
 * - git still working on it, left by a killed process: waits for it.
 * - anything else at that path, or the branch elsewhere: a `conflict` with the details; nothing is removed.
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
  /** The repository's root, as returned by `canonicalRepository`. */
  readonly repository: string;
  /** The worktree's folder; see `worktreePath`. */
  readonly root: string;
  /** See `worktreeBranch`. */
  readonly branch: string;
  readonly baseCommit: string;
}

const worktreeOrigins = ["made", "adopted", "repaired", "branch reused"] as const;
export type WorktreeOrigin = (typeof worktreeOrigins)[number];

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** Its current head; the base commit when it is new. */
  readonly commit: string;
  readonly origin: WorktreeOrigin;
}

/** Calls for one folder wait for each other, so the second finds a complete worktree. Only one process has a workspace. */
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
    // Another git was faster, or wrote at the same moment: the current state decides.
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
    const next = `Check it: git -C ${elsewhere.path} status`;
    throw conflict(`The branch ${branch} is already checked out in ${elsewhere.path}.`, next);
  }
  await add({ path, branch, base, branchHead, place });
  const origin = entry ? "repaired" : branchHead === undefined ? "made" : "branch reused";
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
  // The same command creates the branch: without a worktree, the next attempt reuses it.
  const words = branchHead === undefined ? ["--no-track", "-b", branch] : [];
  const revisions = [path, branchHead === undefined ? base : branch];
  try {
    await git(["worktree", "add", "--quiet", ...words], { ...place, revisions });
  } catch (error) {
    await removeLeftovers(path, branchHead ?? base, place);
    throw error;
  }
  faultPoint("afterWorktreeAdd");
}

/**
 * A git that is told to end removes its entry and the folder, but a folder that it had just made, or one that its own child still
 * writes to, stays. The place was free before, so what is in there is git's.
 */
async function removeLeftovers(path: string, commit: string, { signal: _aborted, ...place }: Place): Promise<void> {
  if ((await worktreeEntries(place)).some((one) => one.path === path)) return;
  if ((await foreignFiles(path, [commit], place)).length === 0) await rm(path, { recursive: true, force: true });
}

function adopt(entry: WorktreeEntry, branch: string): Worktree {
  if (entry.branch !== branch || entry.head === undefined) {
    const found = entry.branch === undefined ? "no branch (its head is detached)" : `the branch ${entry.branch}`;
    const problem = `The worktree ${entry.path} is on ${found}, but ${branch} was expected.`;
    throw conflict(problem, `Switch back: git -C ${entry.path} switch ${branch}`);
  }
  return { path: entry.path, branch, commit: entry.head, origin: "adopted" };
}

/** Git locks a worktree with this reason while creating it; nothing but git has been in there then. */
export async function isHalfMade(entry: WorktreeEntry): Promise<boolean> {
  if (entry.lockedFor === "initializing" || entry.isPrunable) return true;
  return !(await isThere(join(entry.path, ".git")));
}

async function forget(entry: WorktreeEntry, commits: readonly string[], place: Place): Promise<void> {
  const foreign = await foreignFiles(entry.path, commits, place);
  if (foreign.length > 0) {
    const sample = foreign.slice(0, 3).join(", ");
    const problem = `The half-made worktree ${entry.path} contains uncommitted files (${sample}).`;
    throw conflict(problem, `Move them away, then try again: ls -la ${entry.path}`);
  }
  await rm(entry.path, { recursive: true, force: true });
  // Twice: once for the missing folder, once for git's own lock.
  await git(["worktree", "remove", "--force", "--force"], { ...place, revisions: [entry.path] });
}

/** Files that git did not put there. A file truncated by the crash still has its tracked name. */
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
  throw conflict(`${path} already exists and is not a worktree of this repository.`, `Check it: ls -la ${path}`);
}

async function resolveBase(commit: string, place: Place): Promise<string> {
  const revisions = [`${commit}^{commit}`];
  const found = await git(["rev-parse", "--verify", "--quiet"], { ...place, revisions, answers: [1, 128] });
  if (found.exit === 0) return found.stdout.trim().split("\n").at(-1) ?? "";
  const next = `Fetch it, or start from another one: git -C ${place.cwd} log --oneline -5`;
  throw new DevflowError("not_found", { details: { what: `The commit ${commit}`, next } });
}

/** A branch called `devflow` or `devflow/<run>` occupies the name of the folder that ours would be in. */
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
    throw conflict(`The branch ${shorter} conflicts with the name ${branch}.`, next);
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
  const problem = `The branch ${branch} already exists and does not contain the base commit ${base.slice(0, 12)}.`;
  throw conflict(problem, `Check it: git -C ${place.cwd} log --oneline -5 ${branch}`);
}

function conflict(problem: string, next: string): DevflowError {
  return new DevflowError("conflict", { details: { problem, next } });
}
