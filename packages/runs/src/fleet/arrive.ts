/**
 * A run that comes to a machine where it has been before, as when it is moved back: what it left there is older than what it
 * brings along.
 *
 * - `setAsideOlder(context, run)` moves the run's old folder and worktree away and keeps their branch under another name, with
 *   the number of the stay. Nothing is deleted. Repeated after a crash it finishes.
 * - `noteArrival(run)` from here on the folder is that of this stay.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import type { RunRow } from "../engine/rows.ts";

type Stay = Pick<RunRow, "folder" | "worktree_root" | "repo_path" | "branch" | "incarnation">;

const markerOf = ({ folder }: Pick<RunRow, "folder">): string => join(folder, "incarnation");

export async function setAsideOlder({ env }: Pick<EngineContext, "env">, run: Stay): Promise<void> {
  if (run.incarnation === 0 || !existsSync(run.folder)) return;
  const stay = Number(await readFile(markerOf(run), "utf8").catch(() => "0"));
  if (stay === run.incarnation) return;
  const place = { cwd: run.repo_path, env };
  const suffix = `.stay-${stay}`;
  if (existsSync(run.repo_path)) {
    const head = { ...place, revisions: [`refs/heads/${run.branch}`], answers: [1, 128] };
    const { exit } = await git(["rev-parse", "--verify", "--quiet"], head);
    if (exit === 0) await git(["branch", "-m"], { ...place, revisions: [run.branch, `${run.branch}${suffix}`] });
    if (existsSync(run.worktree_root))
      await git(["worktree", "move"], { ...place, revisions: [run.worktree_root, `${run.worktree_root}${suffix}`] });
  }
  await rename(run.folder, `${run.folder}${suffix}`);
  if (existsSync(run.repo_path)) await git(["worktree", "repair"], place);
}

export async function noteArrival(run: Stay): Promise<void> {
  if (run.incarnation === 0) return;
  await mkdir(run.folder, { recursive: true, mode: 0o700 });
  await writeFile(markerOf(run), String(run.incarnation), { mode: 0o600 });
}
