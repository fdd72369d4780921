/**
 * Facts about a repository, and creating one.
 *
 * - `repositoryRoot(options)` the top folder of the worktree; undefined outside one.
 * - `currentBranch(options)` the branch's short name, even before its first commit; undefined when detached.
 * - `initRepository(folder, options)` creates a repository with the given files in one commit; one that already has a
 *   commit is left unchanged, so an interrupted call can be repeated.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { type GitIdentity, type GitOptions, git } from "./git.ts";

type Place = Pick<GitOptions, "cwd" | "env" | "signal">;

export async function repositoryRoot(place: Place): Promise<string | undefined> {
  try {
    const { stdout } = await git(["rev-parse", "--show-toplevel"], place);
    return stdout.replace(/\n$/, "") || undefined;
  } catch (error) {
    // The user must see other refusals (another owner's folder, a broken repository).
    if (isOutside(error)) return undefined;
    throw error;
  }
}

export async function currentBranch(place: Place): Promise<string | undefined> {
  const { stdout } = await git(["symbolic-ref", "--quiet", "--short", "HEAD"], { ...place, answers: [1] });
  return stdout.trim() || undefined;
}

export interface NewRepository extends Omit<Place, "cwd"> {
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
  /** The author of the first commit; Devflow by default. */
  readonly identity?: GitIdentity;
  readonly branch?: string;
}

export async function initRepository(folder: string, options: NewRepository): Promise<{ commit: string }> {
  const { files, message, identity = devflowIdentity, branch = "main", ...rest } = options;
  const place = { ...rest, cwd: folder };
  await mkdir(folder, { recursive: true });
  await git(["init", "--quiet", "--template=", `--initial-branch=${branch}`], place);
  const existing = await headCommit(place);
  if (existing) return { commit: existing };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await git(["add"], { ...place, paths: Object.keys(files) });
  await git(["commit", "--quiet", "--file=-"], { ...place, identity, input: message });
  return { commit: (await headCommit(place)) ?? "" };
}

const devflowIdentity: GitIdentity = { name: "Devflow", email: "devflow@localhost" };

async function headCommit(place: Place): Promise<string | undefined> {
  const { stdout } = await git(["rev-parse", "--verify", "--quiet", "HEAD"], { ...place, answers: [1] });
  return stdout.trim() || undefined;
}

function isOutside(error: unknown): boolean {
  if (!(error instanceof DevflowError) || error.code !== "git_failed") return false;
  return /not a git repository|must be run in a work tree/.test(String(error.details.reason));
}
