/**
 * A new run from the state before a phase of another one: its commit, artifacts and findings. The person may give roles to
 * other personas, backends or models, and write other instructions for that phase; everything else stays as it was.
 *
 * - `forkRun(context, input, actor)` the fork; the same client token gives the same one. `run.forked` is in both logs.
 */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { shortId } from "@devflow/core/short-id";
import type { Transaction } from "@devflow/db";
import { git } from "@devflow/git";
import { mainLane, worktreeBranch, worktreePath } from "@devflow/harness";
import { type BindingOverride, bindRoles } from "../binding/bind.ts";
import { templateFaults } from "../definitions/index.ts";
import { refuseWithoutSandbox } from "../engine/confinement.ts";
import type { EngineContext } from "../engine/context.ts";
import { changeRunIn } from "../engine/fact.ts";
import { freshRunId, nameConflict, overlapping, runUnderToken, tooMany } from "../engine/new-run.ts";
import type { RunRow } from "../engine/rows.ts";
import type { StartedRun } from "../engine/run-engine.ts";
import { takeSlot } from "../engine/run-queue.ts";
import { loadSnapshot, type Snapshot } from "../engine/snapshot.ts";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { bringHere } from "../fleet/bring-here.ts";
import { loadPersonas } from "../personas/load-personas.ts";
import { Persona, personaId } from "../personas/persona.ts";
import type { Template } from "../templates/index.ts";
import { carryState } from "./carry-state.ts";
import { forkOverrides } from "./fork-overrides.ts";
import { type PastEvent, reachedPhases, type StateBefore, stateBefore } from "./state-before.ts";

export interface ForkInput {
  /** The run to fork. */
  readonly runId: string;
  /** The phase that the fork begins with. */
  readonly at: string;
  readonly title?: string | undefined;
  /** By role or instance. Roles that are not named keep their persona. */
  readonly overrides?: Readonly<Record<string, BindingOverride>> | undefined;
  /** Instead of the template's, for that phase. */
  readonly instructions?: string | undefined;
  readonly maxUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly queue?: boolean | undefined;
  readonly clientToken: string;
}

export async function forkRun(context: EngineContext, input: ForkInput, actor: Actor): Promise<StartedRun> {
  const origin = await readOrigin(context, input.runId);
  const { template } = origin.snapshot;
  const run = await withRepositoryHere(context, origin.snapshot.run);
  const token = { teamId: run.team_id, clientToken: input.clientToken };
  const before = await runUnderToken(context, token);
  if (before) return before;
  refuseLane(run);
  const state = requireState(origin, input.at);
  const commit = state.commit ?? run.base_commit;
  await requireCommit(context, run, commit);
  requireInstructions(template, input, origin.snapshot);
  const overrides = await requireBindings(context, origin.snapshot, input);
  const id = await freshRunId(context, run.repo_path);
  const row = await forkRow(context, run, { id, commit, input, actor });
  const place = { repoKey: run.repo_key, branch: run.base_branch };
  const outcome = await context.database
    .asEngine(async (tx) => {
      // The origin's log first: a run is locked before the queue, and before anything of the team.
      const ofOrigin = await changeRunIn(
        tx,
        run.id,
        actor,
        async (fact) => {
          fact.emit({ type: "run.forked", key: eventKey.fork(id), payload: { fork: id, at: input.at } });
        },
        context.clock,
      );
      const ahead = await takeSlot(context, tx);
      if (ahead && !input.queue) throw tooMany(context, ahead);
      const queued = ahead !== undefined;
      await insertFork(tx, { row: { ...row, queued }, run, overrides, input });
      const artifacts = await carryState(tx, template, {
        origin: { id: run.id, teamId: run.team_id, folder: run.folder },
        fork: { id, teamId: run.team_id, folder: row.folder },
        state,
      });
      const ofFork = await changeRunIn(
        tx,
        id,
        actor,
        async (fact) => {
          const created = { template: `${template.name}@${template.version}`, templateHash: run.template_hash };
          const about = { title: row.title, repository: run.repo_path, baseBranch: run.base_branch };
          fact.emit({
            type: "run.created",
            key: eventKey.run("run.created", id),
            payload: { ...created, ...about },
          });
          fact.emit({
            type: "run.forked",
            key: eventKey.fork(id),
            payload: {
              ...{ from: run.id, at: input.at, commit, phases: state.phases, artifacts },
              ...(input.overrides ? { overrides: input.overrides } : {}),
              ...(input.instructions === undefined ? {} : { instructions: input.instructions }),
            },
          });
          if (queued) fact.emit({ type: "run.queued", key: eventKey.run("run.queued", id) });
          fact.touch();
        },
        context.clock,
      );
      faultPoint("before_commit_run_forked");
      return { queued, ofOrigin, ofFork };
    })
    .catch((error: unknown) => nameConflict(context, error, token, place));
  if (!("ofFork" in outcome)) return outcome;
  faultPoint("after_commit_run_forked");
  context.onCommitted(run.id, outcome.ofOrigin);
  context.onCommitted(id, outcome.ofFork);
  return {
    runId: id,
    state: "created",
    queued: outcome.queued,
    created: true,
    overlaps: await overlapping(context, id),
  };
}

/** The fork of a run of another machine works here, in the mirror of its remote. */
async function withRepositoryHere(context: EngineContext, run: RunRow): Promise<RunRow> {
  const { repository } = await bringHere(context, { id: run.id, host: run.host, repository: run.repo_path });
  return { ...run, repo_path: repository };
}

interface Origin {
  readonly snapshot: Snapshot;
  readonly events: readonly PastEvent[];
}

async function readOrigin({ database }: EngineContext, runId: string): Promise<Origin> {
  return await database.asEngine(async (tx) => {
    const purged = await tx`select from app.run_events where run_id = ${runId} and type = 'run.purged'`;
    if (purged.length > 0) {
      const problem = `Run ${shortId(runId)} was purged: nothing is left to begin with.`;
      throw conflict(problem, "Start a new one: devflow run start");
    }
    const snapshot = await loadSnapshot(tx, runId);
    if (!snapshot) throw new DevflowError("not_found", { details: { what: `Run ${runId}`, next: "devflow run list" } });
    const events = await tx<PastEvent[]>`
      select seq::float8 as seq, type, payload, app.iso(ts) as at from app.run_events where run_id = ${runId} order by seq`;
    return { snapshot, events };
  });
}

function requireState({ snapshot, events }: Origin, at: string): StateBefore {
  const { run, template } = snapshot;
  const id = shortId(run.id);
  const keys = template.phases.map((phase) => phase.key);
  const state = stateBefore(events, keys, at);
  if (state) return state;
  const reached = reachedPhases(events, keys);
  const next =
    reached.length === 0 ? `See how far it is: devflow run show ${id}` : `It can be forked at: ${reached.join(", ")}`;
  if (!keys.includes(at)) throw new DevflowError("not_found", { details: { what: `Phase ${at} of run ${id}`, next } });
  throw conflict(`Run ${id} has not come to the phase ${at}.`, next);
}

function refuseLane({ id, parent_run_id: parent }: RunRow): void {
  if (parent === null) return;
  throw conflict(`Run ${shortId(id)} is a lane.`, `Fork its parent: devflow run fork ${shortId(parent)}`);
}

/** Its branch may have been deleted since, and git may have removed the commit. */
async function requireCommit({ env }: EngineContext, run: RunRow, commit: string): Promise<void> {
  const words = { cwd: run.repo_path, env, revisions: [`${commit}^{commit}`], answers: [1, 128] };
  const { exit } = await git(["rev-parse", "--verify", "--quiet"], words);
  if (exit === 0) return;
  const problem = `The commit ${commit.slice(0, 10)} that the fork would begin with is no longer in ${run.repo_path}.`;
  throw conflict(problem, "Start a new run: devflow run start");
}

/** The same rules as for the instructions of a template. */
function requireInstructions(template: Template, { at, instructions }: ForkInput, { schemas }: Snapshot): void {
  if (instructions === undefined) return;
  const index = template.phases.findIndex((phase) => phase.key === at);
  const phases = template.phases.map((phase) => (phase.key === at ? { ...phase, instructions } : phase));
  const faults = templateFaults({ ...template, phases }, Object.keys(schemas)).filter(
    ({ path }) => path.join(".") === `phases.${index}.instructions`,
  );
  if (faults.length === 0) return;
  const problem = `The instructions for ${at} cannot be used: ${faults.map((one) => one.message).join("; ")}.`;
  const next = `See the template's own: devflow template show ${template.name}@${template.version}`;
  throw new DevflowError("input_invalid", { details: { problem, next } });
}

/** Refused here, before there is a run. */
async function requireBindings(
  context: EngineContext,
  snapshot: Snapshot,
  input: ForkInput,
): Promise<Record<string, BindingOverride>> {
  const { template } = snapshot;
  const bound = snapshot.bindings.map(({ role_id: instance, persona, override }) => ({
    instance,
    persona: personaId(Persona.parse(persona)),
    model: override?.model,
  }));
  const overrides = forkOverrides(template, bound, input.overrides ?? {});
  const personas = await loadPersonas(context.database, snapshot.personas);
  const result = bindRoles({ template, personas, overrides, backends: context.backends });
  if (result.ok) {
    await refuseWithoutSandbox(context, result.bindings);
    return overrides;
  }
  const code = result.code === "backend_unavailable" ? "backend_unavailable" : "no_eligible_persona";
  throw new DevflowError(code, { details: { reason: result.reason, next: "See who there is: devflow persona list" } });
}

async function forkRow(
  context: EngineContext,
  run: RunRow,
  { id, commit, input, actor }: { id: string; commit: string; input: ForkInput; actor: Actor },
) {
  const workspaceRoot = await realpath(context.workspaceRoot);
  return {
    id,
    team_id: run.team_id,
    started_by: actor.userId ?? "",
    host: context.host,
    engine: context.engine,
    template_hash: run.template_hash,
    title: input.title ?? run.title,
    state: "created",
    repo_path: run.repo_path,
    repo_key: run.repo_key,
    base_branch: run.base_branch,
    base_commit: run.base_commit,
    branch: worktreeBranch(id, mainLane),
    worktree_root: worktreePath(workspaceRoot, id, mainLane),
    folder: join(workspaceRoot, id),
    root_run_id: id,
    lane_id: mainLane,
    forked_from: run.id,
    fork_phase: input.at,
    fork_commit: commit,
    exclusive: run.exclusive,
    client_token: input.clientToken,
    max_usd: input.maxUsd ?? null,
    max_tokens: input.maxTokens ?? null,
  };
}

interface Fork {
  readonly row: Awaited<ReturnType<typeof forkRow>> & { readonly queued: boolean };
  readonly run: RunRow;
  readonly overrides: Readonly<Record<string, BindingOverride>>;
  readonly input: ForkInput;
}

async function insertFork(tx: Transaction, { row, run, overrides, input }: Fork): Promise<void> {
  const [template] = await tx<{ template_id: string }[]>`select template_id from app.runs where id = ${run.id}`;
  await tx`insert into app.runs ${tx({ ...row, template_id: template?.template_id ?? "" })}`;
  const own = input.instructions === undefined ? {} : { [input.at]: input.instructions };
  await tx`
    insert into app.run_inputs (run_id, team_id, requirements_md, objective, extra, overrides, input_hash, sanitised, schemas, personas,
      instructions, lanes)
    select ${row.id}, team_id, requirements_md, objective, extra, ${tx.json(overrides as never)},
      ${hash({ fork: run.id, at: input.at, instructions: input.instructions ?? null })}, sanitised, schemas, personas,
      instructions || ${tx.json(own)}, lanes
    from app.run_inputs where run_id = ${run.id}`;
}

const conflict = (problem: string, next: string): DevflowError =>
  new DevflowError("conflict", { details: { problem, next } });
