/**
 * Takes over a run of a machine that is gone, with a repository of this machine.
 *
 * - `adoptRun(context, runId, options, actor)` from then on the run belongs to this machine; its agents are started again as
 *   after a crash. With `end` it is ended at once, and needs no repository.
 * - `ensureWorktree(context, runId)` creates the worktree of an adopted or restored run again, from its branch.
 */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { isTerminalRun } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import { git } from "@devflow/git";
import { canonicalRepository, makeWorktree, worktreePath } from "@devflow/harness";
import type { Actor } from "../events/actor.ts";
import { noteArrival, setAsideOlder } from "../fleet/arrive.ts";
import { ensureRunMirror } from "../fleet/remote-repository.ts";
import { restoreArtifacts } from "../fork/restore-artifacts.ts";
import { prepareLane } from "../lanes/prepare-lane.ts";
import { moveSessionFolders } from "../sessions/session-repository.ts";
import { change, type EngineContext } from "./context.ts";
import { endRun } from "./end-run.ts";
import { RunRow, startCommit } from "./rows.ts";

export interface AdoptOptions {
  /** The machine that is gone: named, so that nobody takes a run from a machine that works. */
  readonly from: string;
  /** By default the path that it had there. */
  readonly repository?: string | undefined;
  readonly end?: boolean | undefined;
}

export async function adoptRun(
  context: EngineContext,
  runId: string,
  { from, repository, end = false }: AdoptOptions,
  actor: Actor,
): Promise<void> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  await change(
    context,
    runId,
    async (fact) => {
      const { run, tx } = fact;
      if (run.host === context.host) return;
      if (run.host !== from) throw otherMachine(run, from);
      if (run.final_report_path !== null) throw conflict(`Run ${run.id} has ended.`, "There is nothing to take over.");
      const place = end ? run.repo_path : await repositoryFor(context, run, repository ?? run.repo_path);
      const folder = join(context.workspaceRoot, run.id);
      // A lane's folder is below that of its root; a later try has another name.
      const worktree = worktreePath(context.workspaceRoot, run.root_run_id, basename(run.worktree_root));
      await tx`
        update app.runs set host = ${context.host}, repo_path = ${place}, folder = ${folder}, worktree_root = ${worktree}
        where id = ${run.id}`;
      // The person vouches for this repository; its .git is compared from here on.
      await tx`update app.run_phases set git_state = null where run_id = ${run.id}`;
      await moveSessionFolders(tx, run.id, { from: run.folder, to: folder });
      const payload = { from: run.host, to: context.host, repository: place };
      fact.emit({ type: "run.adopted", key: `run.adopted:${run.id}:${run.host}:${context.host}`, payload });
      fact.touch();
      if (end && !isTerminalRun(run.state)) await endRun(fact, "aborted", `The machine ${run.host} is gone.`);
    },
    actor,
  );
  // A verdict on an open gate compares what is there, so it may not come before the worktree.
  await ensureWorktree(context, runId);
}

/** The repository of this machine, if it has what the run is based on and what it committed. */
async function repositoryFor({ env }: EngineContext, run: RunRow, given: string): Promise<string> {
  const { root } = await canonicalRepository(given, { env });
  for (const [what, revision] of [
    [`the commit ${run.base_commit.slice(0, 10)} that the run is based on`, run.base_commit],
    [`the branch ${run.branch}`, `refs/heads/${run.branch}`],
  ] as const) {
    const words = { cwd: root, env, revisions: [revision], answers: [1, 128] };
    const { exit } = await git(["rev-parse", "--verify", "--quiet"], words);
    if (exit === 0) continue;
    throw conflict(`${root} lacks ${what}.`, "Fetch it there, or end the run: devflow run adopt --end");
  }
  return root;
}

export async function ensureWorktree(context: EngineContext, runId: string, signal?: AbortSignal): Promise<void> {
  const [row] = await context.database.asEngine(
    (tx) => tx<{ run: unknown }[]>`select to_jsonb(r) as run from app.runs r where r.id = ${runId}`,
  );
  const run = row && RunRow.parse(row.run);
  if (!run || run.state === "created") return;
  // One that came here only to end has its report written from what it did.
  if (isTerminalRun(run.state) && (run.incarnation === 0 || run.final_report_path !== null)) return;
  await setAsideOlder(context, run);
  if (existsSync(run.worktree_root)) return;
  await ensureRunMirror(context, run, signal);
  await makeWorktree({
    repository: run.repo_path,
    root: run.worktree_root,
    branch: run.branch,
    baseCommit: startCommit(run),
    env: context.env,
    ...(signal ? { signal } : {}),
  });
  if (run.incarnation === 0) return;
  await restoreArtifacts(context, run);
  if (run.parent_run_id !== null) await prepareLane(context, run, signal);
  await noteArrival(run);
}

const otherMachine = (run: RunRow, from: string): DevflowError =>
  conflict(
    `Run ${run.id} belongs to the machine ${run.host}, not ${from}.`,
    `devflow run adopt ${shortId(run.id)} --from ${run.host}`,
  );

const conflict = (problem: string, next: string): DevflowError =>
  new DevflowError("conflict", { details: { problem, next } });
