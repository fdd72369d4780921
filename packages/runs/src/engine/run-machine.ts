/**
 * The states of a run, and everything that may change them.
 *
 * - `created`: the row exists; bindings are not locked. Left by locking them (`bound`) or by their failure (`failed`).
 * - `bound`: bindings and worktree exist; the first phase has not begun.
 * - `planning` / `executing`: a phase is active; which of the two follows from that phase's kind.
 * - `awaiting_approval`: a gate of the template is open and a person is asked.
 * - `paused`: nothing advances. Someone paused it, an approval timed out, or a recovery gate is open; the state to
 *   return to is kept in the row.
 * - `completed`, `failed`, `aborted`: terminal. Nothing leaves them.
 *
 * One table, one function: `nextRunState(state, trigger)`. A pair that is not in the table is illegal. Only
 * `RunFact.moveRun` changes the state.
 */
import { type PhaseKind, type RunState, runStates, terminalRunStates } from "@devflow/core/enums";

export const runTriggers = [
  "bindings_locked",
  "bindings_failed",
  "planning_phase_started",
  "work_phase_started",
  "gate_opened",
  "gate_passed_to_planning",
  "gate_passed_to_work",
  "changes_requested_in_planning",
  "changes_requested_in_work",
  "rejected",
  "approval_timed_out",
  "paused",
  "recovery_gate_opened",
  "resumed_to_bound",
  "resumed_to_planning",
  "resumed_to_executing",
  "resumed_to_awaiting_approval",
  "all_phases_done",
  "failed",
  "aborted",
] as const;
export type RunTrigger = (typeof runTriggers)[number];

type Row = Readonly<Partial<Record<RunTrigger, RunState>>>;

const endings: Row = { failed: "failed", aborted: "aborted" };
const working: Row = {
  ...endings,
  planning_phase_started: "planning",
  work_phase_started: "executing",
  gate_opened: "awaiting_approval",
  paused: "paused",
  recovery_gate_opened: "paused",
  all_phases_done: "completed",
};

export const runTransitions: Readonly<Record<RunState, Row>> = {
  created: { ...endings, bindings_locked: "bound", bindings_failed: "failed" },
  bound: {
    ...endings,
    planning_phase_started: "planning",
    work_phase_started: "executing",
    paused: "paused",
    recovery_gate_opened: "paused",
    // Every phase was skipped.
    all_phases_done: "completed",
  },
  planning: working,
  executing: working,
  awaiting_approval: {
    ...endings,
    gate_opened: "awaiting_approval",
    gate_passed_to_planning: "planning",
    gate_passed_to_work: "executing",
    changes_requested_in_planning: "planning",
    changes_requested_in_work: "executing",
    rejected: "failed",
    approval_timed_out: "paused",
    recovery_gate_opened: "paused",
    paused: "paused",
    // The last phase's gate was passed.
    all_phases_done: "completed",
  },
  paused: {
    ...endings,
    rejected: "failed",
    resumed_to_bound: "bound",
    resumed_to_planning: "planning",
    resumed_to_executing: "executing",
    resumed_to_awaiting_approval: "awaiting_approval",
  },
  completed: {},
  failed: {},
  aborted: {},
};

/** The event for a trigger. The others are covered by the events of their phase or approval. */
export const runEventOf: Readonly<
  Partial<
    Record<RunTrigger, "run.started" | "run.paused" | "run.resumed" | "run.completed" | "run.failed" | "run.aborted">
  >
> = {
  bindings_locked: "run.started",
  bindings_failed: "run.failed",
  gate_passed_to_planning: "run.resumed",
  gate_passed_to_work: "run.resumed",
  rejected: "run.failed",
  approval_timed_out: "run.paused",
  paused: "run.paused",
  recovery_gate_opened: "run.paused",
  resumed_to_bound: "run.resumed",
  resumed_to_planning: "run.resumed",
  resumed_to_executing: "run.resumed",
  resumed_to_awaiting_approval: "run.resumed",
  all_phases_done: "run.completed",
  failed: "run.failed",
  aborted: "run.aborted",
};

/** Undefined: the trigger is illegal in this state. */
export function nextRunState(state: RunState, trigger: RunTrigger): RunState | undefined {
  return runTransitions[state][trigger];
}

/** The state of a run whose current phase is of this kind. */
export function runStateFor(kind: PhaseKind): "planning" | "executing" {
  return kind === "planning" ? "planning" : "executing";
}

export const activeRunStates = runStates.filter(
  (state) => !(terminalRunStates as readonly RunState[]).includes(state),
) as readonly RunState[];

/** States in which a run is at work. At a gate, or paused, it holds no slot. */
export const slotStates = ["created", "bound", "planning", "executing"] as const satisfies readonly RunState[];
export const holdsSlot = (state: RunState): boolean => (slotStates as readonly RunState[]).includes(state);
