/**
 * A run of another machine, as this one can see it: its commits come from the remote that they were pushed to.
 *
 * - `bringHere(context, run)` the run with paths of this machine: the repository is this machine's mirror, with the run's branch as
 *   it was recorded last. It has no worktree here, so what is read of it is read from the branch.
 *
 * A run of this machine is returned as it is. One whose repository is a folder of another machine cannot be seen from here.
 */
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import { git } from "@devflow/git";
import type { EngineContext } from "../engine/context.ts";
import { RunRow } from "../engine/rows.ts";
import { lastCommit } from "../engine/steps/commit-work.ts";
import { ensureCommits, mirrorPath } from "./remote-repository.ts";

interface Located {
  readonly id: string;
  readonly host: string;
}

export interface HerePlace {
  readonly repository: string;
  readonly worktree: string;
  readonly folder: string;
}

export async function bringHere<T extends Located>(context: EngineContext, run: T): Promise<T | (T & HerePlace)> {
  return run.host === context.host ? run : { ...run, ...(await placeHere(context, run)) };
}

async function placeHere(context: EngineContext, { id }: Located): Promise<HerePlace> {
  const { database, workspaceRoot, env } = context;
  const [found] = await database.asEngine((tx) => tx`select to_jsonb(r) as run from app.runs r where r.id = ${id}`);
  const row = RunRow.parse(found?.run);
  if (row.remote === null) throw runElsewhere(row);
  const repository = mirrorPath(workspaceRoot, row.repo_key);
  const last = await lastCommit(context, row);
  await ensureCommits(context, { ...row, repo_path: repository }, [last], undefined);
  await setBranch({ cwd: repository, env }, row.branch, last);
  // Beside the mirror: the folder of a run with this id is that of a run of this machine.
  const folder = join(workspaceRoot, "mirrors", "runs", id);
  return { repository, folder, worktree: join(folder, "none") };
}

/** A run that was here before may have left commits that it never recorded; they keep a name. */
async function setBranch(place: { cwd: string; env: EngineContext["env"] }, branch: string, to: string): Promise<void> {
  const name = `refs/heads/${branch}`;
  const known = await git(["rev-parse", "--verify", "--quiet"], { ...place, revisions: [name], answers: [1, 128] });
  const tip = known.exit === 0 ? known.stdout.trim() : undefined;
  if (tip === to) return;
  if (tip !== undefined)
    await git(["update-ref"], { ...place, revisions: [`${name}.before-${tip.slice(0, 12)}`, tip] });
  await git(["update-ref"], { ...place, revisions: [name, to] });
}

/** What can be done only on the machine that has the run's files. */
export function runElsewhere({ id, host }: Located): DevflowError {
  return new DevflowError("conflict", {
    details: {
      problem: `Run ${shortId(id)} belongs to the machine ${host}.`,
      next: `Run the command there. If that machine is gone: devflow run adopt ${shortId(id)} --from ${host}`,
    },
  });
}
