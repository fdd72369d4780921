/** How phases begin, are skipped, are repeated, and end without an agent. */
import type { RunState } from "@devflow/core/enums";
import { uuidv5 } from "@devflow/core/ids";
import { gitStateHash } from "@devflow/harness";
import { eventKey } from "../../events/event-types.ts";
import { changeAt, type EngineContext } from "../context.ts";
import { endRun } from "../end-run.ts";
import type { RunFact } from "../fact.ts";
import type { PhaseRow } from "../rows.ts";
import { type RunTrigger, runStateFor } from "../run-machine.ts";
import type { Snapshot } from "../snapshot.ts";

/** pending → running: the first attempt of a series. */
export async function startPhase(context: EngineContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  const gitState = await readGitState(context, snapshot);
  await changeAt(context, snapshot, (fact) =>
    beginAttempt(fact, phase, { trigger: "start", automatic: 1, repair: false, gitState }),
  );
}

/** What the shared .git looks like before an agent works. */
export async function readGitState(context: EngineContext, { run }: Snapshot): Promise<string> {
  return JSON.stringify(await gitStateHash(run.repo_path, { worktree: run.worktree_root, env: context.env }));
}

interface Attempt {
  readonly trigger: "start" | "artifact_invalid" | "artifact_timed_out" | "changes_requested" | "retry";
  /** Which automatic attempt of its series it is; a person's decision begins a new series with 1. */
  readonly automatic: number;
  readonly repair: boolean;
  readonly comment?: string | null;
  /** Null: people have had the repository meanwhile; it is looked at again before the next prompt. */
  readonly gitState?: string | null;
  readonly reason?: string;
}

export async function beginAttempt(fact: RunFact, phase: PhaseRow, attempt: Attempt): Promise<void> {
  const number = phase.attempts + 1;
  await fact.movePhase(phase, attempt.trigger, {
    attempts: number,
    automatic_attempts: attempt.automatic,
    repair: attempt.repair,
    ...(attempt.comment === undefined ? {} : { comment: attempt.comment }),
    ...(attempt.gitState === undefined ? {} : { git_state: attempt.gitState }),
    reason: null,
    active_ms: 0,
    active_since: fact.now,
    ended_at: null,
    ...(phase.started_at === null ? { started_at: fact.now } : {}),
  });
  const runState = runStateFor(phase.kind);
  fact.moveRun(towards(fact.run.state, runState), { current_phase_id: phase.id });
  fact.emit({
    type: "phase.started",
    key: eventKey.phase("phase.started", phase.id, number),
    phaseId: phase.id,
    payload: {
      phase: phase.phase_key,
      kind: phase.kind,
      attempt: number,
      repair: attempt.repair,
      runState,
      ...(attempt.reason ? { reason: attempt.reason } : {}),
    },
  });
}

/** What leads from where the run is to the state in which this phase is worked on. */
export function towards(from: RunState, to: "planning" | "executing"): RunTrigger {
  if (from === "awaiting_approval")
    return to === "planning" ? "changes_requested_in_planning" : "changes_requested_in_work";
  if (from === "paused") return to === "planning" ? "resumed_to_planning" : "resumed_to_executing";
  return to === "planning" ? "planning_phase_started" : "work_phase_started";
}

export async function skipPhase(
  context: EngineContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  reason: string,
): Promise<void> {
  const { phases } = snapshot;
  // A loop may skip the same phase again; the round keeps the two apart.
  const round = phases.reduce((sum, one) => sum + one.loops, 0);
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "skip", { reason, ended_at: fact.now });
    fact.emit({
      type: "phase.skipped",
      key: `${eventKey.phase("phase.skipped", phase.id, phase.attempts)}:${round}`,
      phaseId: phase.id,
      payload: { phase: phase.phase_key, attempt: phase.attempts, reason },
    });
  });
}

/** completed or failed → pending, from the loop's target to the phase that loops. */
export async function loopBack(context: EngineContext, snapshot: Snapshot, phase: PhaseRow, to: string): Promise<void> {
  const target = snapshot.phases.find((one) => one.phase_key === to);
  if (!target) throw new Error(`no phase ${to} to loop to`);
  await changeAt(context, snapshot, async (fact) => {
    for (const one of phasesBetween(snapshot, target, phase)) {
      const loops = one.id === phase.id ? { loops: phase.loops + 1 } : {};
      await fact.movePhase(one, "again", { ...loops, reason: null, ended_at: null, comment: null });
    }
    fact.touch();
  });
}

/** What is done again when a loop leads from one phase back to another. */
export const phasesBetween = ({ phases }: Snapshot, from: PhaseRow, to: PhaseRow): PhaseRow[] =>
  phases.filter((one) => one.seq >= from.seq && one.seq <= to.seq && one.state !== "pending");

export async function completeRun(context: EngineContext, snapshot: Snapshot): Promise<void> {
  await changeAt(context, snapshot, (fact) => endRun(fact, "completed", null));
}

/** Something only a person can settle: a recovery gate opens and the run pauses where it is. */
export async function askRecovery(fact: RunFact, phase: PhaseRow, code: string, reason: string): Promise<void> {
  const gate = `recovery:${code}`;
  // One question per attempt and cause: `<run>:<phase>:<gate>:<attempt>`.
  const key = `${fact.run.id}:${phase.phase_key}:${gate}:${phase.attempts}:${phase.loops}`;
  const id = uuidv5(fact.run.id, `approval:${key}`);
  await fact.tx`
    insert into app.approval_requests (id, run_id, team_id, phase_id, gate_key, kind, state, idempotency_key, payload, created_at)
    values (${id}, ${fact.run.id}, ${fact.run.team_id}, ${phase.id}, ${gate}, 'recovery', 'pending', ${key},
      ${fact.tx.json({ phase: phase.phase_key, attempt: phase.attempts, code, reason })}, ${fact.now})
    on conflict (idempotency_key) do nothing`;
  fact.emit({
    type: "approval.requested",
    key: eventKey.approvalRequested(key, 1),
    phaseId: phase.id,
    payload: { approval: id, gate, kind: "recovery", phase: phase.phase_key, attempt: phase.attempts, reason },
  });
  const cause = `approval:${id}:1`;
  fact.moveRun("recovery_gate_opened", { pause_cause: cause });
  fact.emit({ type: "run.paused", key: eventKey.pause("run.paused", fact.run.id, cause), payload: { cause, reason } });
}

/** The attempt is over and so are the automatic ones: failed, and a person is asked. */
export async function failPhase(fact: RunFact, phase: PhaseRow, code: string, reason: string): Promise<void> {
  await fact.movePhase(phase, "exhausted", { reason: code, ended_at: fact.now, active_since: null });
  fact.emit({
    type: "phase.failed",
    key: eventKey.phase("phase.failed", phase.id, phase.attempts),
    phaseId: phase.id,
    payload: { phase: phase.phase_key, attempt: phase.attempts, reason: code, detail: reason },
  });
  await askRecovery(fact, { ...phase, state: "failed" }, code, reason);
}
