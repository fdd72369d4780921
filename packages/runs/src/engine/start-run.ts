/** Creates a run: its row, inputs and phases in one transaction, after checking that it may start. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { uuidv5, uuidv7 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import { canonicalRepository, mainLane, worktreeBranch, worktreePath } from "@devflow/harness";
import { safeText } from "@devflow/redact";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { templateId } from "../templates/index.ts";
import type { EngineContext } from "./context.ts";
import { changeRunIn } from "./fact.ts";
import { resolveDefinitions, schemaHashes, storeDefinitions } from "./resolve-definitions.ts";
import type { RunStartInput, StartedRun } from "./run-engine.ts";
import { takeSlot } from "./run-queue.ts";

export async function startRun(context: EngineContext, input: RunStartInput, actor: Actor): Promise<StartedRun> {
  const before = await runUnderToken(context, input);
  if (before) return before;
  const repository = await canonicalRepository(input.repository, {
    ...(input.baseBranch ? { branch: input.baseBranch } : {}),
    env: context.env,
  });
  const place = { repository: repository.root, commit: repository.commit };
  const definitions = await resolveDefinitions(context, { ...input, place });
  const { template, templateHash, schemas } = definitions;
  const runId = await freshRunId(context, repository.root);
  const workspaceRoot = await realpath(context.workspaceRoot);
  const requirements = safeText(input.requirements);
  const extra = input.extra ?? null;
  const objective = input.objective ?? null;
  const run = {
    id: runId,
    team_id: input.teamId,
    started_by: actor.userId ?? "",
    host: context.host,
    template_hash: templateHash,
    title: titleOf(input),
    state: "created",
    repo_path: repository.root,
    base_branch: repository.branch,
    base_commit: repository.commit,
    branch: worktreeBranch(runId, mainLane),
    worktree_root: worktreePath(workspaceRoot, runId, mainLane),
    folder: join(workspaceRoot, runId),
    root_run_id: runId,
    lane_id: mainLane,
    exclusive: template.exclusive,
    client_token: input.clientToken,
    max_usd: input.maxUsd ?? null,
    max_tokens: input.maxTokens ?? null,
  };
  const outcome = await context.database
    .asEngine(async (tx) => {
      const ahead = await takeSlot(context, tx);
      if (ahead && !input.queue) throw tooMany(context, ahead);
      const queued = ahead !== undefined;
      const { templateRow } = await storeDefinitions(tx, definitions);
      await tx`insert into app.runs ${tx({ ...run, template_id: templateRow, queued })}`;
      await tx`
        insert into app.run_inputs (run_id, team_id, requirements_md, objective, extra, overrides, input_hash, sanitised, schemas, personas)
        values (${runId}, ${input.teamId}, ${requirements.value}, ${tx.json(objective as never)}, ${tx.json(extra as never)},
          ${tx.json((input.overrides ?? {}) as never)},
          ${hash({ requirementsMd: requirements.value, objective, extra, repoPath: repository.root, baseBranch: repository.branch })},
          ${requirements.changed}, ${tx.json(schemas as never)}, ${tx.json(definitions.repositoryPersonas.map((one) => one.hash))})`;
      const phases = template.phases.map((phase, index) => ({
        id: uuidv5(runId, `phase:${phase.key}`),
        run_id: runId,
        team_id: input.teamId,
        phase_key: phase.key,
        seq: index + 1,
        kind: phase.kind,
        state: "pending",
      }));
      await tx`insert into app.run_phases ${tx(phases)}`;
      const payload = {
        template: templateId(template),
        templateHash,
        title: run.title,
        repository: repository.root,
        baseBranch: repository.branch,
        ...(definitions.isFromRepository ? { templateFrom: "repository" } : {}),
        ...(Object.keys(schemas).length > 0 ? { schemas: schemaHashes(schemas) } : {}),
      };
      const events = await changeRunIn(
        tx,
        runId,
        actor,
        async (fact) => {
          fact.emit({ type: "run.created", key: eventKey.run("run.created", runId), payload });
          if (queued) fact.emit({ type: "run.queued", key: eventKey.run("run.queued", runId) });
          fact.touch();
        },
        context.clock,
      );
      faultPoint("before_commit_run_created");
      return { queued, events };
    })
    .catch((error: unknown) => nameConflict(context, error, input, repository));
  if (!("events" in outcome)) return outcome;
  faultPoint("after_commit_run_created");
  context.onCommitted(runId, outcome.events);
  return {
    runId,
    state: "created",
    queued: outcome.queued,
    created: true,
    overlaps: await overlapping(context, runId),
  };
}

/** The branch has the short id, and must not be one that an earlier run left in this repository. */
async function freshRunId({ database, host }: EngineContext, repository: string): Promise<string> {
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

function tooMany(context: EngineContext, runs: readonly string[]): DevflowError {
  const limit = context.maxConcurrentRuns();
  return new DevflowError("too_many_runs", { details: { count: runs.length, limit, runs } });
}

async function runUnderToken(
  context: EngineContext,
  { teamId, clientToken }: RunStartInput,
): Promise<StartedRun | undefined> {
  const [row] = await context.database.asEngine(
    (tx) => tx<{ id: string; state: StartedRun["state"]; queued: boolean }[]>`
      select id, state, queued from app.runs where team_id = ${teamId} and client_token = ${clientToken}`,
  );
  return row ? { runId: row.id, state: row.state, queued: row.queued, created: false, overlaps: [] } : undefined;
}

async function nameConflict(
  context: EngineContext,
  error: unknown,
  input: RunStartInput,
  repository: { root: string; branch: string },
): Promise<StartedRun> {
  const { code, constraint_name: constraint } = error as { code?: string; constraint_name?: string };
  if (code !== "23505") throw error;
  if (constraint === "runs_team_id_client_token_key") {
    const same = await runUnderToken(context, input);
    if (same) return same;
  }
  const [current] = await context.database.asEngine(
    (tx) => tx<{ id: string; state: string }[]>`
      select id, state from app.runs where team_id = ${input.teamId} and host = ${context.host} and repo_path = ${repository.root}
        and base_branch = ${repository.branch} and exclusive and state not in ('completed', 'failed', 'aborted')`,
  );
  if (!current) throw error;
  throw new DevflowError("run_active", {
    details: { run: shortId(current.id), currentRunId: current.id, currentState: current.state },
    cause: error,
  });
}

async function overlapping(context: EngineContext, runId: string): Promise<string[]> {
  const rows = await context.database.asEngine(
    (tx) => tx<{ id: string }[]>`
      select o.id from app.runs r join app.runs o on o.team_id = r.team_id and o.host = r.host and o.repo_path = r.repo_path
        and o.base_branch = r.base_branch and o.id <> r.id
      where r.id = ${runId} and o.state not in ('completed', 'failed', 'aborted')`,
  );
  return rows.map((row) => row.id);
}

function titleOf({ title, requirements }: RunStartInput): string {
  const line = (title ?? requirements).split("\n").find((one) => one.trim() !== "") ?? "Untitled";
  const short = line
    .replace(/^#+\s*/, "")
    .trim()
    .slice(0, 200);
  // Cut first: cutting through a character leaves half of one, which no store accepts.
  return safeText(short).value || "Untitled";
}
