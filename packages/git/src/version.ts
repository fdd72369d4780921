/**
 * Which git is installed, and whether it is new enough.
 *
 * - `gitVersion(options)` the version; throws `git_missing`.
 * - `requireGit(options)` the same, or `git_too_old`.
 */
import { DevflowError } from "@devflow/core/errors";
import { isAtLeast } from "@devflow/core/version-order";
import { type GitOptions, git } from "./git.ts";

/** 2.38 brought `safe.bareRepository` and `merge-tree --write-tree`. */
export const minimumGitVersion = "2.38";

export async function gitVersion(options: Pick<GitOptions, "cwd" | "env" | "signal">): Promise<string> {
  const { stdout } = await git(["version"], options);
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
}

export async function requireGit(options: Pick<GitOptions, "cwd" | "env" | "signal">): Promise<string> {
  const found = await gitVersion(options);
  if (isOldGit(found)) throw new DevflowError("git_too_old", { details: { found, needed: minimumGitVersion } });
  return found;
}

export const isOldGit = (version: string): boolean => !isAtLeast(version, minimumGitVersion);
