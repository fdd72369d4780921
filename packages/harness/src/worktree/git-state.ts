/**
 * Hashes the part of `.git` that all worktrees share and that makes git start programs. Devflow's own calls are protected
 * anyway; this protects a person's next `git commit` in the repository from what an agent planted.
 *
 * - `gitStateHash(repository, options)` configuration, worktree configurations, hooks and attributes, hashed separately.
 * - `commonFolder(repository, options)` the .git that its worktrees share.
 * - `changedGitState(before, after)` the names of what was added, changed or removed.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { hash } from "@devflow/core/hash";
import { type GitOptions, git } from "@devflow/git";

export interface GitState {
  readonly hash: string;
  /** By the path inside `.git`. */
  readonly parts: Readonly<Record<string, string>>;
}

export interface GitStateOptions extends Pick<GitOptions, "env" | "signal"> {
  /** A run's worktree: then the state includes that its `.git` file still points to this repository. */
  readonly worktree?: string;
}

export async function gitStateHash(repository: string, options: GitStateOptions = {}): Promise<GitState> {
  const { worktree, ...rest } = options;
  const common = await commonFolder(repository, rest);
  const parts: Record<string, string> = {};
  const note = async (name: string, path: string) => {
    const found = await witness(path);
    if (found !== undefined) parts[name] = found;
  };
  for (const name of ["config", "config.worktree", "info/attributes"]) await note(name, join(common, name));
  for (const id of await namesIn(join(common, "worktrees"))) {
    const name = `worktrees/${id}/config.worktree`;
    await note(name, join(common, name));
  }
  await noteFolder("hooks", join(common, "hooks"), note);
  if (worktree !== undefined) await note("worktree .git", join(worktree, ".git"));
  return { hash: hash(parts), parts };
}

/** Cached per repository: the state is read before and after every phase, and a process each time is noticeable. */
const commonFolders = new Map<string, string>();

export async function commonFolder(repository: string, options: Pick<GitOptions, "env" | "signal">): Promise<string> {
  const known = commonFolders.get(repository);
  if (known !== undefined && (await stat(known).catch(() => undefined))?.isDirectory()) return known;
  const { stdout } = await git(["rev-parse", "--path-format=absolute", "--git-common-dir"], {
    ...options,
    cwd: repository,
  });
  const common = stdout.replace(/\n$/, "");
  commonFolders.set(repository, common);
  return common;
}

export function changedGitState(before: GitState, after: GitState): string[] {
  const names = new Set([...Object.keys(before.parts), ...Object.keys(after.parts)]);
  return [...names].filter((name) => before.parts[name] !== after.parts[name]).sort();
}

async function noteFolder(
  name: string,
  path: string,
  note: (name: string, path: string) => Promise<void>,
): Promise<void> {
  // The folder itself too: it may be replaced by a link to elsewhere.
  await note(name, path);
  for (const entry of await namesIn(path)) {
    const whole = join(path, entry);
    const found = await lstat(whole).catch(() => undefined);
    if (found?.isDirectory()) await noteFolder(`${name}/${entry}`, whole, note);
    else await note(`${name}/${entry}`, whole);
  }
}

/** Kind, mode, content; for a link its target and the target's content. Undefined when there is nothing. */
async function witness(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return undefined;
  const mode = (found.mode & 0o7777).toString(8);
  if (found.isDirectory()) return "folder";
  if (found.isFile()) return `file ${mode} ${await contentHash(path)}`;
  if (!found.isSymbolicLink()) return `other ${mode}`;
  const target = await readlink(path);
  const end = await stat(path).catch(() => undefined);
  return `link ${target} ${end?.isFile() ? await contentHash(path) : "elsewhere"}`;
}

async function contentHash(path: string): Promise<string> {
  const sum = createHash("sha256");
  await pipeline(createReadStream(path), sum);
  return sum.digest("hex");
}

async function namesIn(path: string): Promise<string[]> {
  return (await readdir(path).catch(() => [])).sort();
}
