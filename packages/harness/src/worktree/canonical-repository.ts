/**
 * The canonical path of a repository and the commit that a run starts from.
 *
 * - `canonicalRepository(path, options)` the real path of the main worktree, the base branch and its commit; throws
 *   `not_found` or `input_invalid` with what is wrong: no such folder, no repository, bare, no commit, no such branch.
 */
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import { currentBranch, type GitOptions, git, repositoryRoot } from "@devflow/git";
import { type Place, worktreeEntries } from "./worktree-entries.ts";

export interface CanonicalRepository {
  /** The main worktree's root; for a bare repository with worktrees, the root of the given worktree. */
  readonly root: string;
  readonly branch: string;
  readonly commit: string;
}

export interface CanonicalOptions extends Pick<GitOptions, "env" | "signal"> {
  /** A local branch, a remote one (`origin/main`), a tag or a full commit id; by default the current branch. */
  readonly branch?: string;
}

export async function canonicalRepository(path: string, options: CanonicalOptions = {}): Promise<CanonicalRepository> {
  const { branch: wanted, ...rest } = options;
  const folder = await realFolder(path);
  const given = await rootOf({ ...rest, cwd: folder });
  const place = { ...rest, cwd: given };
  const [main] = await worktreeEntries(place);
  const root = main && !main.isBare ? main.path : given;
  await requireCommits(place);
  const branch = wanted ?? (await currentBranch(place));
  if (branch === undefined) {
    throw invalid(`${given} has no current branch (its head is detached).`, "Name one: --base <branch>");
  }
  return { root, branch, commit: await commitOf(branch, place) };
}

async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(resolve(path));
  } catch (error) {
    const details = { what: `The folder ${path}`, next: "Name a repository: --repo <folder>" };
    throw new DevflowError("not_found", { details, cause: error });
  }
}

async function rootOf(place: Place): Promise<string> {
  let root: string | undefined;
  try {
    root = await repositoryRoot(place);
  } catch (error) {
    if (!(error instanceof DevflowError) || !/bare repository/.test(String(error.details.reason))) throw error;
    throw invalid(`${place.cwd} is a bare repository or inside one.`, "Name a worktree of it: --repo <folder>");
  }
  if (root !== undefined) return root;
  throw invalid(`${place.cwd} is not a git repository.`, `Initialize it: git -C ${place.cwd} init`);
}

async function requireCommits(place: Place): Promise<void> {
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { ...place, answers: [1, 128] });
  if (head.exit === 0) return;
  const any = await git(["for-each-ref", "--count=1", "refs/heads", "refs/remotes"], place);
  if (any.stdout !== "") return;
  throw invalid(`${place.cwd} has no commit yet.`, "Create one: git add -A && git commit -m Start");
}

async function commitOf(branch: string, place: Place): Promise<string> {
  const isWholeId = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(branch);
  const names = [
    `refs/heads/${branch}`,
    `refs/remotes/${branch}`,
    `refs/tags/${branch}`,
    ...(isWholeId ? [branch] : []),
  ];
  for (const name of names) {
    const found = await git(["rev-parse", "--verify", "--quiet"], {
      ...place,
      revisions: [`${name}^{commit}`],
      answers: [1, 128],
    });
    if (found.exit === 0) return found.stdout.trim().split("\n").at(-1) ?? "";
  }
  const { stdout } = await git(["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes"], place);
  const meant = nearest(branch, stdout.split("\n").filter(Boolean));
  const next = meant ? `Did you mean ${meant}?` : `List the branches: git -C ${place.cwd} branch --all`;
  throw new DevflowError("not_found", { details: { what: `The branch ${branch}`, next } });
}

function invalid(problem: string, next: string): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next } });
}
