/** Creates a run: its row, inputs and phases in one transaction, after checking that it may start. */
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { uuidv5 } from "@devflow/core/ids";
import { canonicalRepository, mainLane, worktreeBranch, worktreePath } from "@devflow/harness";
import { safeText } from "@devflow/redact";
import { placeUpload } from "../attachments/attachment-file.ts";
import { claimUploads } from "../attachments/attachment-repository.ts";
import { type BindingOverride, bindRoles } from "../binding/bind.ts";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { runPlace } from "../fleet/run-place.ts";
import { resolveLanes, storeLanes } from "../lanes/lane-definitions.ts";
import { templateId } from "../templates/index.ts";
import { refuseWithoutSandbox } from "./confinement.ts";
import type { EngineContext } from "./context.ts";
import { changeRunIn } from "./fact.ts";
import { freshRunId, nameConflict, overlapping, runUnderToken, tooMany } from "./new-run.ts";
import { type ResolvedDefinitions, resolveDefinitions, schemaHashes, storeDefinitions } from "./resolve-definitions.ts";
import type { RunStartInput, StartedRun } from "./run-engine.ts";
import { takeSlot } from "./run-queue.ts";

/** Of many that start at the same moment, each sees the same machine as the freest; those that come too late look again. */
const mostPlacings = 10;

export async function startRun(context: EngineContext, input: RunStartInput, actor: Actor): Promise<StartedRun> {
  for (let placing = 1; ; placing++) {
    try {
      return await startOnce(context, input, actor);
    } catch (error) {
      const isFull = error instanceof DevflowError && error.code === "too_many_runs";
      if (!isFull || input.on === undefined || placing === mostPlacings) throw error;
    }
  }
}

async function startOnce(context: EngineContext, input: RunStartInput, actor: Actor): Promise<StartedRun> {
  const before = await runUnderToken(context, input);
  if (before) return before;
  const repository = await canonicalRepository(input.repository, {
    ...(input.baseBranch ? { branch: input.baseBranch } : {}),
    env: context.env,
  });
  const place = { repository: repository.root, commit: repository.commit };
  const definitions = await resolveDefinitions(context, { ...input, place });
  const { template, templateHash, schemas } = definitions;
  const ofLanes = await resolveLanes(context, template, { overrides: input.overrides, place });
  await refuseUnconfinable(context, definitions, input);
  const runId = await freshRunId(context, repository.root);
  const there = await runPlace(context, input, repository);
  const { workspaceRoot } = there;
  const requirements = safeText(input.requirements);
  const extra = input.extra ?? null;
  const objective = input.objective ?? null;
  const run = {
    id: runId,
    team_id: input.teamId,
    started_by: actor.userId ?? "",
    host: there.host,
    engine: there.engine,
    template_hash: templateHash,
    title: titleOf(input),
    state: "created",
    repo_path: there.repository,
    remote: there.remote,
    repo_key: there.repoKey,
    host_label: there.label,
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
      const ahead = await takeSlot(context, tx, there);
      if (ahead && !input.queue) throw tooMany(context, ahead, there.places);
      const queued = ahead !== undefined;
      const { templateRow } = await storeDefinitions(tx, definitions);
      const lanes = ofLanes && (await storeLanes(tx, ofLanes));
      await tx`insert into app.runs ${tx({ ...run, template_id: templateRow, queued })}`;
      await tx`
        insert into app.run_inputs (run_id, team_id, requirements_md, objective, extra, overrides, input_hash, sanitised, schemas, personas, lanes)
        values (${runId}, ${input.teamId}, ${requirements.value}, ${tx.json(objective as never)}, ${tx.json(extra as never)},
          ${tx.json((input.overrides ?? {}) as never)},
          ${hash({ requirementsMd: requirements.value, objective, extra, repoPath: repository.root, baseBranch: repository.branch })},
          ${requirements.changed}, ${tx.json(schemas as never)}, ${tx.json(definitions.repositoryPersonas.map((one) => one.hash))},
          ${lanes ? tx.json(lanes as never) : null})`;
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
      const owner = { runId, teamId: input.teamId, host: there.host };
      const uploads = await claimUploads(context, tx, owner, input.attachments, actor);
      const payload = {
        template: templateId(template),
        templateHash,
        title: run.title,
        repository: repository.root,
        ...(there.remote === null ? {} : { remote: there.remote, host: there.host }),
        baseBranch: repository.branch,
        ...(definitions.isFromRepository ? { templateFrom: "repository" } : {}),
        ...(lanes ? { laneTemplate: lanes.template, laneTemplateHash: lanes.hash } : {}),
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
      return { queued, events, uploads };
    })
    .catch((error: unknown) =>
      nameConflict(context, error, input, { repoKey: there.repoKey, branch: repository.branch }),
    );
  if (!("events" in outcome)) return outcome;
  faultPoint("after_commit_run_created");
  // After a crash before this, the driver does it.
  for (const one of outcome.uploads) await placeUpload(context, run, one);
  context.onCommitted(runId, outcome.events);
  return {
    runId,
    state: "created",
    queued: outcome.queued,
    created: true,
    overlaps: await overlapping(context, runId),
  };
}

/** A role that nobody can play is told when the run locks its bindings. */
async function refuseUnconfinable(
  context: EngineContext,
  { template, personas }: ResolvedDefinitions,
  { overrides = {} }: RunStartInput,
): Promise<void> {
  const bound = bindRoles({
    template,
    personas,
    overrides: overrides as Record<string, BindingOverride>,
    backends: context.backends,
  });
  if (bound.ok) await refuseWithoutSandbox(context, bound.bindings);
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
