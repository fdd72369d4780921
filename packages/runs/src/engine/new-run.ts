/**
 * What every new run needs, however it comes to be: an id of its own, a slot, and one run per client token.
 *
 * - `freshRunId` an id whose branch is free. `runUnderToken` the run that the token made before.
 * - `tooMany` the error of a full machine. `nameConflict` what a unique key refused: the same run, or another active one.
 * - `overlapping` other active runs on the same base branch.
 */
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import { mainLane, worktreeBranch } from "@devflow/harness";
import type { EngineContext } from "./context.ts";
import type { StartedRun } from "./run-engine.ts";

type Token = { readonly teamId: string; readonly clientToken: string };

/** The branch has the short id, and must not be one that an earlier run left in this repository. */
export async function freshRunId({ database, host }: EngineContext, repository: string): Promise<string> {
  for (;;) {
    const id = uuidv7();
    const rows = await database.asEngine(
      (tx) => tx`
        select from app.runs where host = ${host} and repo_path = ${repository}
          and branch = ${worktreeBranch(id, mainLane)} limit 1`,
    );
    if (rows.length === 0) return id;
  }
}

export function tooMany(context: EngineContext, runs: readonly string[], places?: number): DevflowError {
  const limit = places ?? context.maxConcurrentRuns();
  return new DevflowError("too_many_runs", { details: { count: runs.length, limit, runs } });
}

export async function runUnderToken(
  context: EngineContext,
  { teamId, clientToken }: Token,
): Promise<StartedRun | undefined> {
  const [row] = await context.database.asEngine(
    (tx) => tx<{ id: string; state: StartedRun["state"]; queued: boolean }[]>`
      select id, state, queued from app.runs where team_id = ${teamId} and client_token = ${clientToken}`,
  );
  return row ? { runId: row.id, state: row.state, queued: row.queued, created: false, overlaps: [] } : undefined;
}

export async function nameConflict(
  context: EngineContext,
  error: unknown,
  input: Token,
  { repoKey, branch }: { readonly repoKey: string; readonly branch: string },
): Promise<StartedRun> {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  if (code !== "23505") throw error;
  if (constraint === "runs_team_id_client_token_key") {
    const same = await runUnderToken(context, input);
    if (same) return same;
  }
  const [current] = await context.database.asEngine(
    (tx) => tx<{ id: string; state: string }[]>`
      select id, state from app.runs where team_id = ${input.teamId} and repo_key = ${repoKey} and base_branch = ${branch} and exclusive and state not in ('completed', 'failed', 'aborted')`,
  );
  if (!current) throw error;
  throw new DevflowError("run_active", {
    details: { run: shortId(current.id), currentRunId: current.id, currentState: current.state },
    cause: error,
  });
}

export async function overlapping(context: EngineContext, runId: string): Promise<string[]> {
  const rows = await context.database.asEngine(
    (tx) => tx<{ id: string }[]>`
      select o.id from app.runs r join app.runs o on o.team_id = r.team_id and o.host = r.host and o.repo_path = r.repo_path
        and o.base_branch = r.base_branch and o.id <> r.id
      where r.id = ${runId} and o.parent_run_id is null and o.state not in ('completed', 'failed', 'aborted')`,
  );
  return rows.map((row) => row.id);
}
