/**
 * A run that comes to a machine where it has been before, as when it is moved back: what it left there is older than what it
 * brings along.
 *
 * - `setAsideOlder(context, run)` moves what is in the run's old folder and its worktree away, and keeps their branch under another
 *   name, with the number of the stay. Nothing is deleted, and its lanes are left alone. Repeated after a crash it finishes.
 * - `noteArrival(run)` from here on the folder is that of this stay.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { git } from "@devflow/git";
import { moveWorktree } from "@devflow/harness";
import type { EngineContext } from "../engine/context.ts";
import type { RunRow } from "../engine/rows.ts";

type Stay = Pick<RunRow, "id" | "folder" | "worktree_root" | "repo_path" | "branch" | "incarnation">;

const markerOf = ({ folder }: Pick<RunRow, "folder">): string => join(folder, "incarnation");

export async function setAsideOlder(
  { database, env }: Pick<EngineContext, "database" | "env">,
  run: Stay,
): Promise<void> {
  if (run.incarnation === 0) return;
  const stay = Number(await readFile(markerOf(run), "utf8").catch(() => "0"));
  if (stay === run.incarnation) return;
  const lanes = await laneFolders(database, run);
  const left = existsSync(run.folder) ? (await readdir(run.folder)).filter((name) => !lanes.has(name)) : [];
  const hasWorktree = existsSync(run.worktree_root);
  if (left.length === 0 && !hasWorktree) return;
  const place = existsSync(run.repo_path) ? { cwd: run.repo_path, env } : undefined;
  const suffix = await freeSuffix(run, stay, place);
  const aside = `${run.folder}${suffix}`;
  await mkdir(aside, { recursive: true, mode: 0o700 });
  if (place && (await hasBranch(run.branch, place)))
    await git(["branch", "-m"], { ...place, revisions: [run.branch, `${run.branch}${suffix}`] });
  if (hasWorktree) await setWorktreeAside(run, aside, place);
  // The marker last: an interrupted call goes on with what is left.
  const marker = basename(markerOf(run));
  for (const name of [...left.filter((one) => one !== marker), ...left.filter((one) => one === marker)])
    if (existsSync(join(run.folder, name))) await rename(join(run.folder, name), join(aside, name));
}

interface Place {
  readonly cwd: string;
  readonly env: EngineContext["env"];
}

/**
 * With the number of the stay. A call that was interrupted, or an agent of the old stay that wrote once more, leaves something that
 * has to be set aside again, under another name.
 */
async function freeSuffix(run: Stay, stay: number, place: Place | undefined): Promise<string> {
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? `.stay-${stay}` : `.stay-${stay}.${count}`;
    const isTaken =
      existsSync(`${run.folder}${suffix}`) ||
      (place !== undefined && (await hasBranch(`${run.branch}${suffix}`, place)));
    if (!isTaken) return suffix;
  }
}

async function hasBranch(branch: string, place: Place): Promise<boolean> {
  const words = { ...place, revisions: [`refs/heads/${branch}`], answers: [1, 128] };
  return (await git(["rev-parse", "--verify", "--quiet"], words)).exit === 0;
}

async function setWorktreeAside(run: Stay, aside: string, place: Place | undefined): Promise<void> {
  const to = join(aside, basename(run.worktree_root));
  if (!place) await rename(run.worktree_root, to);
  else await moveWorktree({ repository: place.cwd, from: run.worktree_root, to, env: place.env });
}

/** The worktrees of a run's lanes are in its folder, and may be at work: they belong to the lanes. */
async function laneFolders(database: EngineContext["database"], { id, folder }: Stay): Promise<ReadonlySet<string>> {
  const rows = await database.asEngine(
    (tx) => tx<{ path: string }[]>`select worktree_root as path from app.runs where parent_run_id = ${id}`,
  );
  return new Set(rows.filter(({ path }) => dirname(path) === folder).map(({ path }) => basename(path)));
}

export async function noteArrival(run: Stay): Promise<void> {
  if (run.incarnation === 0) return;
  await mkdir(run.folder, { recursive: true, mode: 0o700 });
  await writeFile(markerOf(run), String(run.incarnation), { mode: 0o600 });
}
