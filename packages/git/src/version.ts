/**
 * Which git is installed, and whether it is new enough.
 *
 * - `gitVersion(options)` the version; throws `git_missing`.
 * - `requireGit(options)` the same, or `git_too_old`.
 */
import { DevflowError } from "@devflow/core/errors";
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

export function isOldGit(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = minimumGitVersion.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}
