/**
 * What a worktree contains at one moment, and what was added since.
 *
 * - `worktreeContent(options)` its commit, and the tree of all its files: committed, uncommitted and untracked. Nothing in the
 *   worktree changes; the tree's objects are written to the repository.
 * - `addedSince(options, before, after)` the commits and files that make the difference between two contents.
 */
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitOptions, git } from "@devflow/git";
import type { Place } from "./worktree-entries.ts";

export interface WorktreeContent {
  readonly commit: string;
  readonly tree: string;
}

export interface ContentOptions extends Pick<GitOptions, "env" | "signal"> {
  readonly worktree: string;
  /** Paths that are no part of the content (the repository's `copy`). */
  readonly withheld?: readonly string[];
}

export async function worktreeContent(options: ContentOptions): Promise<WorktreeContent> {
  const { withheld = [] } = options;
  const place = placeOf(options);
  const { stdout } = await git(["rev-parse", "--path-format=absolute", "--verify", "HEAD"], place);
  const commit = stdout.trim();
  const own = (await git(["rev-parse", "--path-format=absolute", "--git-path", "index"], place)).stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), "devflow-index-"));
  try {
    const index = join(folder, "index");
    // A copy keeps what git knows of unchanged files, which it then need not read again.
    await copyFile(own, index);
    const apart = { ...place, index };
    await git(["add", "--all"], { ...apart, paths: ["."] });
    if (withheld.length > 0) await git(["reset", "--quiet"], { ...apart, paths: withheld });
    return { commit, tree: (await git(["write-tree"], apart)).stdout.trim() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Added {
  /** Newest first. */
  readonly commits: readonly { readonly commit: string; readonly subject: string; readonly author: string }[];
  readonly files: readonly { readonly path: string; readonly change: string }[];
}

/** More than this nobody reads; the numbers are in the diff. */
const mostListed = 50;

export async function addedSince(
  options: ContentOptions,
  before: WorktreeContent,
  after: WorktreeContent,
): Promise<Added> {
  const place = placeOf(options);
  const log = await git(["log", `--max-count=${mostListed}`, "--format=%H%x00%s%x00%an%x00"], {
    ...place,
    revisions: [`${before.commit}..${after.commit}`],
  });
  const words = log.stdout.split("\0").map((word) => word.trim());
  const commits = Array.from({ length: Math.floor(words.length / 3) }, (_, at) => ({
    commit: words[at * 3] ?? "",
    subject: words[at * 3 + 1] ?? "",
    author: words[at * 3 + 2] ?? "",
  }));
  const names = await git(["diff-tree", "-r", "--no-renames", "--name-status", "-z"], {
    ...place,
    revisions: [before.tree, after.tree],
  });
  const parts = names.stdout.split("\0");
  const files = Array.from({ length: Math.floor(parts.length / 2) }, (_, at) => ({
    change: changes[parts[at * 2] ?? ""] ?? "modified",
    path: parts[at * 2 + 1] ?? "",
  }));
  return { commits, files: files.slice(0, mostListed) };
}

const changes: Readonly<Record<string, string>> = { A: "added", D: "deleted", M: "modified", T: "type changed" };

const placeOf = ({ worktree, env, signal }: ContentOptions): Place => ({
  cwd: worktree,
  ...(env && { env }),
  ...(signal && { signal }),
});
