/**
 * Removes the worktree of a run that has ended, and those of its lanes. Branches stay: they are the run's result.
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
import type { EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
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
): Promise<{ removed: boolean; worktree: string; branch: string; lanes: string[] }> {
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
  const lanes: string[] = [];
  for (const lane of await lanesOf(context, run)) {
    if (await removeOne(context, lane, force, actor)) lanes.push(lane.worktree);
  }
  return { removed: await removeOne(context, run, force, actor), worktree: run.worktree, branch: run.branch, lanes };
}

type Removed = Pick<VisibleRun, "id" | "teamId" | "repository" | "worktree">;

async function removeOne(context: EngineContext, run: Removed, force: boolean, actor: Actor): Promise<boolean> {
  const { worktree } = run;
  const record = await recordCleanUp(context, run, worktree, force, actor);
  try {
    const { removed } = await removeWorktree({ repository: run.repository, root: worktree, force, env: context.env });
    await record(0, null);
    return removed;
  } catch (error) {
    await record(1, (error as Error).message);
    throw error;
  }
}

/** Of every try, as far as their worktrees are there. */
async function lanesOf({ database, host }: EngineContext, { id }: VisibleRun): Promise<Removed[]> {
  const rows = await database.asEngine(
    (tx) => tx<Removed[]>`
      select id, team_id as "teamId", repo_path as repository, worktree_root as worktree from app.runs
      where parent_run_id = ${id} and host = ${host} order by created_at`,
  );
  return rows.filter(({ worktree }) => existsSync(worktree));
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
