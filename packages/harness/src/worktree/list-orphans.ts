/**
 * Worktrees and runs that lost each other. Only lists them; a person decides what to remove.
 *
 * - `listOrphans({ workspaceRoot, knownRuns })` worktrees on disk without a run, and runs whose worktree is gone.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "./is-there.ts";
import { realPlace } from "./places.ts";

export interface KnownWorktree {
  readonly runId: string;
  /** The run's worktree; undefined if it never had one or it was cleaned up. */
  readonly worktree: string | undefined;
}

export interface Orphans {
  readonly unknown: readonly UnknownWorktree[];
  readonly gone: readonly { readonly runId: string; readonly worktree: string }[];
}

export interface UnknownWorktree {
  readonly path: string;
  /** The names of its folders, formerly a run and a lane. */
  readonly runId: string;
  readonly lane: string;
  /** Git's folder for it; undefined when its repository was moved or deleted. */
  readonly gitFolder: string | undefined;
}

export async function listOrphans(options: {
  readonly workspaceRoot: string;
  readonly knownRuns: readonly KnownWorktree[];
}): Promise<Orphans> {
  const known = new Set<string>();
  const gone: { runId: string; worktree: string }[] = [];
  for (const { runId, worktree } of options.knownRuns) {
    if (worktree === undefined) continue;
    known.add(await realPlace(worktree));
    if (!(await isWorktree(worktree))) gone.push({ runId, worktree });
  }
  const unknown: UnknownWorktree[] = [];
  const root = await realPlace(options.workspaceRoot);
  for (const runId of await foldersIn(root)) {
    for (const lane of await foldersIn(join(root, runId))) {
      const path = join(root, runId, lane);
      if (known.has(path) || !(await isWorktree(path))) continue;
      unknown.push({ path, runId, lane, gitFolder: await gitFolderOf(path) });
    }
  }
  return { unknown, gone };
}

async function foldersIn(path: string): Promise<string[]> {
  const found = await readdir(path, { withFileTypes: true }).catch(() => []);
  return found
    .filter((one) => one.isDirectory())
    .map((one) => one.name)
    .sort();
}

/** A linked worktree has a file called `.git`; artifacts and logs next to it have none. */
async function isWorktree(path: string): Promise<boolean> {
  return (await stat(join(path, ".git")).catch(() => undefined))?.isFile() ?? false;
}

async function gitFolderOf(path: string): Promise<string | undefined> {
  const text = await readFile(join(path, ".git"), "utf8").catch(() => "");
  const folder = /^gitdir: (.+)$/m.exec(text)?.[1];
  return folder !== undefined && (await isThere(folder)) ? folder : undefined;
}
