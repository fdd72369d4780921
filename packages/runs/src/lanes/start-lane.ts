/**
 * Starts the lane of a task: a run of its own, from what the parent's branch has now. One transaction creates it and records it
 * in the parent's log; its first event names the head of the parent's chain.
 */
import { join } from "node:path";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { uuidv5, uuidv7 } from "@devflow/core/ids";
import { worktreeBranch, worktreePath } from "@devflow/harness";
import { safeText } from "@devflow/redact";
import type { BindingOverride } from "../binding/bind.ts";
import { changeAt, type DriverContext } from "../engine/context.ts";
import { changeRunIn, type RunFact } from "../engine/fact.ts";
import type { PhaseRow, TaskRow } from "../engine/rows.ts";
import { takeSlot } from "../engine/run-queue.ts";
import type { LaneDefinitions, Snapshot } from "../engine/snapshot.ts";
import { lastCommit } from "../engine/steps/commit-work.ts";
import { engineActor } from "../events/actor.ts";
import type { ChainedEvent } from "../events/chain.ts";
import { eventKey } from "../events/event-types.ts";
import { type LanePlace, lanePlace } from "../fleet/lane-place.ts";
import type { Template } from "../templates/index.ts";
import { inherited, laneBackends, laneTemplate } from "./bind-lanes.ts";
import { laneOverrides } from "./lane-definitions.ts";
import { laneRequirements } from "./lane-requirements.ts";
import { parentFolder } from "./prepare-lane.ts";
import { moveTask } from "./task-repository.ts";

export async function startLane(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  task: TaskRow,
): Promise<void> {
  const { run, lanes } = snapshot;
  if (!lanes) throw new Error(`run ${run.id} has no template for lanes`);
  const template = await laneTemplate(context, lanes);
  const base = await lastCommit(context, run);
  const backends = await laneBackends(context, snapshot, template);
  const id = uuidv7();
  const made = await changeAt(context, snapshot, async (fact) => {
    const attempt = task.tries + 1;
    const place = await lanePlace(fact.tx, run, context, backends);
    const lane: NewLane = { id, attempt, base, task, template, lanes, place };
    const queued = (await takeSlot(context, fact.tx, place)) !== undefined;
    const overrides = await insertLane(fact, snapshot, lane, queued);
    const head = fact.run.chain_head;
    const events = await changeRunIn(
      fact.tx,
      id,
      engineActor,
      async (child) => {
        child.emit({
          type: "run.created",
          key: eventKey.run("run.created", id),
          payload: {
            ...{ template: lanes.template, templateHash: lanes.hash, title: task.title },
            ...{ repository: place.repository, baseBranch: run.base_branch, laneBase: base, overrides },
            ...(run.remote === null ? {} : { remote: run.remote, host: place.host }),
            parent: { run: run.id, lane: task.task_id, try: attempt, head, seq: fact.run.event_seq },
          },
        });
        if (queued) child.emit({ type: "run.queued", key: eventKey.run("run.queued", id) });
        child.touch();
      },
      context.clock,
    );
    await moveTask(fact, task, "started", { tries: attempt, lane_run_id: id, head: null, reason: null });
    fact.emit({
      type: "lane.started",
      key: eventKey.lane("lane.started", phase.id, task.task_id, attempt),
      phaseId: phase.id,
      payload: {
        ...{ lane: task.task_id, run: id, try: attempt, base },
        ...(run.remote === null ? {} : { host: place.host }),
      },
    });
    return { queued, events };
  });
  faultPoint("after_lane_created");
  tell(context, id, made);
}

function tell(context: DriverContext, id: string, made: { queued: boolean; events: readonly ChainedEvent[] }): void {
  context.onCommitted(id, made.events);
  // A queued one begins when it gets a slot.
  if (!made.queued) context.wakeRun(id);
}

interface NewLane {
  readonly id: string;
  readonly attempt: number;
  readonly base: string;
  readonly task: TaskRow;
  readonly template: Template;
  readonly lanes: LaneDefinitions;
  readonly place: LanePlace;
}

async function insertLane(
  { tx }: RunFact,
  snapshot: Snapshot,
  { id, attempt, base, task, template, lanes, place }: NewLane,
  queued: boolean,
): Promise<Readonly<Record<string, BindingOverride>>> {
  const { run } = snapshot;
  // Another try has a folder and a branch of its own; a task cannot have a dot in its id.
  const name = attempt === 1 ? task.task_id : `${task.task_id}.${attempt}`;
  const { workspaceRoot } = place;
  const folder = join(workspaceRoot, id);
  const row = {
    id,
    team_id: run.team_id,
    started_by: run.started_by,
    host: place.host,
    host_label: run.host_label,
    engine: run.engine,
    template_id: lanes.row,
    template_hash: lanes.hash,
    title: safeText(task.title.slice(0, 200)).value || task.task_id,
    state: "created",
    queued,
    repo_path: place.repository,
    repo_key: run.repo_key,
    remote: run.remote,
    base_branch: run.base_branch,
    base_commit: run.base_commit,
    branch: worktreeBranch(run.root_run_id, name),
    worktree_root: worktreePath(workspaceRoot, run.root_run_id, name),
    folder,
    parent_run_id: run.id,
    root_run_id: run.root_run_id,
    lane_id: task.task_id,
    lane_base: base,
    lane_try: attempt,
    rebase_of: task.rebase_of,
    client_token: `lane:${run.id}:${task.task_id}:${attempt}`,
  };
  await tx`insert into app.runs ${tx(row)}`;
  const requirements = laneRequirements({
    task,
    whole: snapshot.requirements,
    folder: parentFolder(folder),
    isRebase: task.rebase_of !== null,
  });
  const overrides = laneOverrides(
    template,
    inherited(snapshot.bindings),
    snapshot.overrides as Record<string, BindingOverride>,
  );
  const extra = fakeOf(snapshot.extra, task.task_id, attempt);
  await tx`
    insert into app.run_inputs (run_id, team_id, requirements_md, extra, overrides, input_hash, sanitised, schemas, personas)
    values (${id}, ${run.team_id}, ${requirements}, ${tx.json(extra as never)}, ${tx.json(overrides as never)},
      ${hash({ lane: task.task_id, parent: run.id, try: attempt, requirementsMd: requirements })}, false,
      ${tx.json(lanes.schemas as never)}, ${tx.json(lanes.personas)})`;
  const phases = template.phases.map((phase, index) => ({
    id: uuidv5(id, `phase:${phase.key}`),
    run_id: id,
    team_id: run.team_id,
    phase_key: phase.key,
    seq: index + 1,
    kind: phase.kind,
    state: "pending",
  }));
  await tx`insert into app.run_phases ${tx(phases)}`;
  return overrides;
}

/** What fake agents do in a lane: `fake.lanes.<lane>`, with one script per try, or what they do in the parent. */
function fakeOf(extra: Snapshot["extra"], lane: string, attempt: number): Record<string, unknown> | null {
  if (!extra) return null;
  const { fake, ...rest } = extra as { fake?: { lanes?: Record<string, unknown> } };
  if (!fake) return rest;
  const { lanes = {}, ...common } = fake;
  const own = Object.hasOwn(lanes, lane) ? lanes[lane] : undefined;
  const script = Array.isArray(own) ? own[Math.min(attempt, own.length) - 1] : own;
  return { ...rest, fake: script === undefined ? common : { ...common, script } };
}
