/**
 * The states of one phase of a run.
 *
 * - `pending`: not begun; left by `start`, or by `skip` when its condition is false or the run ends.
 * - `running`: an attempt has begun; prompts are being sent, or a command runs.
 * - `awaiting_artifact`: the delivery of every prompt is confirmed; the files are awaited.
 * - `validating`: every file exists and is stable; schemas decide.
 * - `awaiting_approval`: all artifacts are valid, a gate is open.
 * - `completed`, `skipped`: done, unless a loop of the template leads back (`again`).
 * - `failed`: out of automatic attempts. A person's decision at the recovery gate may start another (`retry`).
 *
 * Only `RunFact.movePhase` changes the state.
 */
import type { PhaseState } from "@devflow/core/enums";

export const phaseTriggers = [
  "start",
  "skip",
  "prompts_sent",
  "artifacts_appeared",
  "artifact_timed_out",
  "artifacts_valid",
  "artifacts_valid_gate_open",
  "artifact_invalid",
  "command_succeeded",
  "command_succeeded_gate_open",
  "approved",
  "next_gate_opened",
  "rejected",
  "changes_requested",
  "exhausted",
  "retry",
  "again",
  "run_ended",
] as const;
export type PhaseTrigger = (typeof phaseTriggers)[number];

type Row = Readonly<Partial<Record<PhaseTrigger, PhaseState>>>;

export const phaseTransitions: Readonly<Record<PhaseState, Row>> = {
  pending: { start: "running", skip: "skipped", run_ended: "skipped" },
  running: {
    prompts_sent: "awaiting_artifact",
    command_succeeded: "completed",
    command_succeeded_gate_open: "awaiting_approval",
    // The work is cut into tasks again before its lanes have begun.
    again: "pending",
    exhausted: "failed",
    run_ended: "failed",
  },
  awaiting_artifact: {
    artifacts_appeared: "validating",
    artifact_timed_out: "running",
    exhausted: "failed",
    run_ended: "failed",
  },
  validating: {
    artifacts_valid: "completed",
    artifacts_valid_gate_open: "awaiting_approval",
    artifact_invalid: "running",
    exhausted: "failed",
    run_ended: "failed",
  },
  awaiting_approval: {
    approved: "completed",
    next_gate_opened: "awaiting_approval",
    rejected: "failed",
    changes_requested: "running",
    // Changes were requested where nobody can make them: the work before it is done again.
    again: "pending",
    // A gate that the engine decides, after one that a person passed.
    exhausted: "failed",
    run_ended: "failed",
  },
  completed: { again: "pending" },
  failed: { retry: "running", again: "pending" },
  skipped: { again: "pending" },
};

/** The event for a state. The others are covered by the events of prompts, artifacts and approvals. */
export const phaseEventOf: Readonly<
  Partial<Record<PhaseState, "phase.started" | "phase.completed" | "phase.failed" | "phase.skipped">>
> = {
  running: "phase.started",
  completed: "phase.completed",
  failed: "phase.failed",
  skipped: "phase.skipped",
};

export function nextPhaseState(state: PhaseState, trigger: PhaseTrigger): PhaseState | undefined {
  return phaseTransitions[state][trigger];
}
