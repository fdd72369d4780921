/** How phases begin, are skipped, are repeated, and end without an agent. */
import type { RunState } from "@devflow/core/enums";
import { changedGitState, type GitState, gitStateHash } from "@devflow/harness";
import { requestApproval } from "../../approvals/approval-repository.ts";
import { gitFinding, recordAudit } from "../../audit/audit-agents.ts";
import { collisionsOf } from "../../lanes/collisions.ts";
import { changeAt, type DriverContext } from "../context.ts";
import { endRun } from "../end-run.ts";
import type { RunFact } from "../fact.ts";
import type { PhaseRow } from "../rows.ts";
import { type RunTrigger, runStateFor } from "../run-machine.ts";
import type { Snapshot } from "../snapshot.ts";

/** pending → running: the first attempt of a series, unless the shared .git changed since the last phase. */
export async function startPhase(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  const gitState = await readGitState(context, snapshot);
  const planted = changedSince(snapshot, gitState);
  if (planted.length > 0) {
    const reason = `between two phases, this changed in the repository's shared .git: ${planted.join(", ")}`;
    await changeAt(context, snapshot, async (fact) => {
      await recordAudit(fact, phase, [gitFinding(phase, planted)]);
      await askRecovery(fact, phase, gitStateChanged, reason);
    });
    return;
  }
  await changeAt(context, snapshot, (fact) =>
    beginAttempt(fact, phase, { trigger: "start", automatic: 1, repair: false, gitState }),
  );
}

/** The recovery gate of a changed .git; trying again accepts the change. */
export const gitStateChanged = "git_state_changed";

function changedSince({ phases }: Snapshot, now: string): string[] {
  const known = phases
    .filter((one) => one.git_state !== null && one.started_at !== null)
    .toSorted((a, b) => (a.started_at ?? "").localeCompare(b.started_at ?? ""))
    .at(-1)?.git_state;
  return known ? changedGitState(JSON.parse(known) as GitState, JSON.parse(now) as GitState) : [];
}

/** The state of the shared .git before an agent works. */
export async function readGitState(context: DriverContext, { run }: Snapshot): Promise<string> {
  return JSON.stringify(await gitStateHash(run.repo_path, { worktree: run.worktree_root, env: context.env }));
}

interface Attempt {
  readonly trigger: "start" | "artifact_invalid" | "artifact_timed_out" | "changes_requested" | "retry";
  /** The number of the automatic attempt in its series; a person's decision begins a new series with 1. */
  readonly automatic: number;
  readonly repair: boolean;
  readonly comment?: string | null;
  /** Null: people may have changed the repository meanwhile, so it is read again before the next prompt. */
  readonly gitState?: string | null;
  readonly reason?: string;
  /** Of the resumption, when a decision begins the attempt in a paused run. */
  readonly cause?: string;
}

export async function beginAttempt(fact: RunFact, phase: PhaseRow, attempt: Attempt): Promise<void> {
  const runState = runStateFor(phase.kind);
  const { repair, cause, reason } = attempt;
  fact.moveRun(towards(fact.run.state, runState), { current_phase_id: phase.id }, cause === undefined ? {} : { cause });
  await fact.movePhase(
    phase,
    attempt.trigger,
    {
      attempts: phase.attempts + 1,
      automatic_attempts: attempt.automatic,
      repair,
      ...(attempt.comment === undefined ? {} : { comment: attempt.comment }),
      ...(attempt.gitState === undefined ? {} : { git_state: attempt.gitState }),
      reason: null,
      collisions: await collisionsOf(fact),
      active_ms: 0,
      active_since: fact.now,
      ended_at: null,
      ...(phase.started_at === null ? { started_at: fact.now } : {}),
    },
    { payload: { kind: phase.kind, repair, runState, ...(reason ? { reason } : {}) } },
  );
}

/** The trigger that leads from the run's state to the one in which this phase is active. */
export function towards(from: RunState, to: "planning" | "executing"): RunTrigger {
  if (from === "awaiting_approval")
    return to === "planning" ? "changes_requested_in_planning" : "changes_requested_in_work";
  if (from === "paused") return to === "planning" ? "resumed_to_planning" : "resumed_to_executing";
  return to === "planning" ? "planning_phase_started" : "work_phase_started";
}

export async function skipPhase(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  reason: string,
): Promise<void> {
  const { phases } = snapshot;
  // A loop may skip the same phase again; the round distinguishes the two.
  const round = phases.reduce((sum, one) => sum + one.loops, 0);
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "skip", { reason, ended_at: fact.now }, { payload: { reason }, round });
  });
}

/** completed or failed → pending, from the loop's target to the phase that loops. */
export async function loopBack(context: DriverContext, snapshot: Snapshot, phase: PhaseRow, to: string): Promise<void> {
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

/** The phases that are repeated when a loop leads from one phase back to another. */
export const phasesBetween = ({ phases }: Snapshot, from: PhaseRow, to: PhaseRow): PhaseRow[] =>
  phases.filter((one) => one.seq >= from.seq && one.seq <= to.seq && one.state !== "pending");

export async function completeRun(context: DriverContext, snapshot: Snapshot): Promise<void> {
  await changeAt(context, snapshot, (fact) => endRun(fact, "completed", null));
}

interface RecoveryAbout {
  /** Where the same question may be asked several times in one attempt. */
  readonly subject?: string;
  /** What the gate shows besides the reason. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** Something only a person can settle: a recovery gate opens and the run pauses. */
export async function askRecovery(
  fact: RunFact,
  phase: PhaseRow,
  code: string,
  reason: string,
  about: RecoveryAbout = {},
): Promise<void> {
  const id = await requestRecovery(fact, phase, code, reason, about);
  fact.moveRun("recovery_gate_opened", {}, { cause: `approval:${id}:1`, payload: { reason } });
}

/** The gate alone, for a run that has not begun and therefore cannot pause. */
export async function requestRecovery(
  fact: RunFact,
  phase: PhaseRow,
  code: string,
  reason: string,
  { subject, payload = {} }: RecoveryAbout = {},
): Promise<string> {
  return await requestApproval(fact, phase, {
    gate: `recovery:${code}`,
    kind: "recovery",
    ...(subject === undefined ? {} : { subject }),
    payload: { code, reason, ...payload },
  });
}

/** The automatic attempts are used up: the phase failed, and a person is asked. */
export async function failPhase(fact: RunFact, phase: PhaseRow, code: string, reason: string): Promise<void> {
  await exhaustPhase(fact, phase, code, reason);
  await askRecovery(fact, { ...phase, state: "failed" }, code, reason);
}

export async function exhaustPhase(fact: RunFact, phase: PhaseRow, code: string, detail: string): Promise<void> {
  const fields = { reason: code, ended_at: fact.now, active_since: null };
  await fact.movePhase(phase, "exhausted", fields, { payload: { reason: code, detail } });
}
