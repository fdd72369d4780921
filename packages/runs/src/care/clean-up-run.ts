/**
 * Removes the worktree of a run that has ended, and those of its lanes, on whichever machines they are, with the refs of their work
 * that nobody needs any more. Branches stay: they are the run's result.
 *
 * - `cleanUpRun(context, run, request, actor)` refuses a run that has not ended, a lane of one, and a worktree with uncommitted work;
 *   `force` requires the run's id a second time. What was done, and by whom, is recorded as a command row.
 */
import { existsSync } from "node:fs";
import { isTerminalRun, type RunState } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import { removeWorktree } from "@devflow/harness";
import type { CleanupAnswer } from "@devflow/protocol";
import type { z } from "zod";
import type { EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
import { askForRemoval } from "../fleet/removals.ts";
import { removeWorkRefs } from "../fleet/work-refs.ts";
import type { VisibleRun } from "../views/index.ts";

export interface CleanUpRequest {
  readonly force: boolean;
  readonly confirm?: string | undefined;
}

export async function cleanUpRun(
  context: EngineContext,
  run: VisibleRun,
  { force, confirm }: CleanUpRequest,
  actor: Actor,
): Promise<z.infer<typeof CleanupAnswer>> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  if (!isTerminalRun(run.state)) {
    const next = `End it first: devflow run abort ${shortId(run.id)}`;
    throw new DevflowError("illegal_transition", {
      details: { what: `Run ${shortId(run.id)}`, state: run.state, wanted: "cleaned up", next },
    });
  }
  if (force && confirm !== run.id) {
    const problem = "Forced removal deletes uncommitted work, so the run's id is required as confirmation.";
    const next = `To confirm: devflow run cleanup ${shortId(run.id)} --force --confirm ${run.id}`;
    throw new DevflowError("input_invalid", { details: { problem, next } });
  }
  await refuseOpenParent(context, run);
  // Its lanes first: what keeps one of them keeps the run.
  const ofRun = await lanesOf(context, run);
  const lanes: string[] = [];
  for (const lane of ofRun.filter((one) => one.host === context.host && existsSync(one.worktree))) {
    if (await removeOne(context, lane, force, actor)) lanes.push(lane.worktree);
  }
  const removed = run.host === context.host && (await removeOne(context, run, force, actor));
  const runs = [run.id, ...ofRun.map((one) => one.id)];
  const elsewhere = await askForRemoval(context, runs, { what: "worktree", force }, actor);
  return { removed, worktree: run.worktree, branch: run.branch, lanes, elsewhere };
}

type Removed = Pick<VisibleRun, "id" | "teamId" | "host" | "remote" | "repository" | "worktree">;

async function removeOne(context: EngineContext, run: Removed, force: boolean, actor: Actor): Promise<boolean> {
  const { worktree } = run;
  const record = await recordCleanUp(context, run, worktree, force, actor);
  try {
    const { removed } = await removeWorktree({ repository: run.repository, root: worktree, force, env: context.env });
    await removeWorkRefs(context, { id: run.id, remote: run.remote, repo_path: run.repository });
    await record(0, null);
    return removed;
  } catch (error) {
    await record(1, (error as Error).message);
    throw error;
  }
}

/** Of every try. */
async function lanesOf({ database }: EngineContext, { id }: VisibleRun): Promise<readonly Removed[]> {
  return await database.asEngine(
    (tx) => tx<Removed[]>`
      select id, team_id as "teamId", host, remote, repo_path as repository, worktree_root as worktree from app.runs
      where parent_run_id = ${id} order by created_at`,
  );
}

/** The parent may still merge it, or ask its agent to. */
async function refuseOpenParent({ database }: EngineContext, { id, parentId }: VisibleRun): Promise<void> {
  if (parentId === null) return;
  const [parent] = await database.asEngine(
    (tx) => tx<{ state: RunState }[]>`select state from app.runs where id = ${parentId}`,
  );
  if (!parent || isTerminalRun(parent.state)) return;
  const next = `Clean up with its parent, when that has ended: devflow run cleanup ${shortId(parentId)}`;
  throw new DevflowError("illegal_transition", {
    details: { what: `Run ${shortId(id)}`, state: "a lane of a run that has not ended", wanted: "cleaned up", next },
  });
}

/** The row first: after a crash in between, the confirmation is still on record. */
async function recordCleanUp(
  { database, clock }: EngineContext,
  run: Removed,
  worktree: string,
  force: boolean,
  actor: Actor,
): Promise<(exitCode: number, failure: string | null) => Promise<void>> {
  const id = uuidv7();
  const argv = ["git", "worktree", "remove", ...(force ? ["--force"] : []), worktree];
  const who = `requested by ${actor.userId ?? actor.kind} (${actor.via})${force ? ", confirmed by the run's id" : ""}`;
  await database.asEngine(
    (tx) => tx`
      insert into app.commands (id, run_id, team_id, kind, argv, cwd, tail, started_at)
      values (${id}, ${run.id}, ${run.teamId}, 'git',
        (select array_agg(value order by ordinality) from jsonb_array_elements_text(${tx.json(argv)}) with ordinality),
        ${run.repository}, ${who}, ${new Date(clock.now())})`,
  );
  return async (exitCode, failure) => {
    await database.asEngine(
      (tx) => tx`
        update app.commands set exit_code = ${exitCode}, failure = ${failure}, ended_at = ${new Date(clock.now())} where id = ${id}`,
    );
  };
}
