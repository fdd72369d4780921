/**
 * An agent's work in progress as one commit: what tracked files are like now, on the last commit that the remote has too.
 *
 * - `wipCommit(place, of)` the commit and its tree; undefined when there is nothing to share. The index, the branch and the worktree stay
 *   as they are.
 *
 * Untracked files are never in it. A file that contains a secret, is larger than 1 MB or is no plain file stays as it was.
 */
import { lstat, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitOptions, git } from "@devflow/git";
import { redactSecrets } from "@devflow/redact";

type GitPlace = Pick<GitOptions, "cwd" | "env" | "signal">;

export interface WipCommit {
  readonly commit: string;
  readonly tree: string;
}

const maxFiles = 300;
const maxBytes = 1_000_000;

export async function wipCommit(
  place: GitPlace,
  { base, who }: { readonly base: string; readonly who: string },
): Promise<WipCommit | undefined> {
  const { stdout } = await git(["diff", "--name-only", "--no-renames", "-z"], { ...place, revisions: [base] });
  const names = stdout.split("\0").filter(Boolean);
  // A migration of everything is not what others need to hear of line by line.
  if (names.length === 0 || names.length > maxFiles) return undefined;
  const shared: string[] = [];
  for (const name of names) if (await mayBeShared(join(place.cwd, name))) shared.push(name);
  const index = join(tmpdir(), `devflow-wip-${crypto.randomUUID()}`);
  try {
    await git(["read-tree"], { ...place, index, revisions: [base] });
    const input = shared.map((name) => `${name}\0`).join("");
    await git(["update-index", "--add", "--remove", "-z", "--stdin"], { ...place, index, input });
    const tree = (await git(["write-tree"], { ...place, index })).stdout.trim();
    const before = (await git(["rev-parse"], { ...place, revisions: [`${base}^{tree}`] })).stdout
      .trim()
      .split("\n")
      .at(-1);
    if (tree === before) return undefined;
    const identity = { name: who, email: "devflow@localhost" };
    const made = await git(["commit-tree", tree, "-p", base, "-m", "Work in progress"], { ...place, identity });
    return { commit: made.stdout.trim(), tree };
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

/** A file that is gone is shared as gone. */
async function mayBeShared(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size > maxBytes) return false;
    return redactSecrets(await readFile(path, "utf8")).found.length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
