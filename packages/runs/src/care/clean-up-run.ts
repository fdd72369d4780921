/**
 * Removes the worktree of a run that has ended. Its branch stays: it is the run's result.
 *
 * - `cleanUpRun(context, run, request, actor)` refuses a run that has not ended, and a worktree with uncommitted work;
 *   `force` requires the run's id a second time. What was done, and by whom, is recorded as a command row.
 */
import { isTerminalRun } from "@devflow/core/enums";
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
): Promise<{ removed: boolean; worktree: string; branch: string }> {
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
  const { worktree } = run;
  const record = await recordCleanUp(context, run, worktree, force, actor);
  try {
    const { removed } = await removeWorktree({ repository: run.repository, root: worktree, force, env: context.env });
    await record(0, null);
    return { removed, worktree, branch: run.branch };
  } catch (error) {
    await record(1, (error as Error).message);
    throw error;
  }
}

/** The row first: after a crash in between, the confirmation is still on record. */
async function recordCleanUp(
  { database, clock }: EngineContext,
  run: VisibleRun,
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
