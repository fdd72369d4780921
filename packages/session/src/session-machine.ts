/**
 * The states of a session.
 *
 * - `BOOTSTRAPPING`: its row is written, its agent is being started. The row comes first, so no agent is unknown.
 * - `READY`: waits for a prompt. `BUSY`: works on one.
 * - `WAITING_FOR_APPROVAL`: the agent asked for a permission and waits for the answer.
 * - `CRASHED`, `ARTIFACT_TIMEOUT`, `HUNG`: it died, did not deliver in time, or went silent. All lead to `RESUMING`.
 *   (`HUNG` is for agents with a watchdog; the fake agent has none.)
 * - `RESUMING`: being continued. `REBOOTSTRAPPED`: continuing failed, a new agent takes its place.
 * - `FAILED_NEEDS_HUMAN`: recovery is used up. `DISPOSED`: ended deliberately. Both are terminal for the driver.
 *
 * When a person has a failed phase tried again, its agents are started anew (`restarted`), whether they live or not: only a new
 * process sees another log-in, another environment or a higher budget.
 *
 * Only what can happen is in the table: a test in `packages/runs` sees each transition happen.
 * One function changes a session's state: `moveSession` in `packages/runs`.
 */
import type { SessionState } from "@devflow/core/enums";

export const sessionTriggers = [
  "ready",
  "prompted",
  "idle",
  "permission_requested",
  "permission_answered",
  "artifact_timed_out",
  "went_silent",
  "died",
  "restored",
  "resuming",
  "rebootstrapped",
  "exhausted",
  "restarted",
  "disposed",
] as const;
export type SessionTrigger = (typeof sessionTriggers)[number];

type Row = Readonly<Partial<Record<SessionTrigger, SessionState>>>;

const ends: Row = { disposed: "DISPOSED" };
const restarts: Row = { restarted: "BOOTSTRAPPING" };

export const sessionTransitions: Readonly<Record<SessionState, Row>> = {
  BOOTSTRAPPING: { ...ends, ready: "READY", died: "CRASHED" },
  READY: { ...ends, ...restarts, prompted: "BUSY", died: "CRASHED" },
  BUSY: {
    ...ends,
    ...restarts,
    // A new attempt replaces the current turn, which was interrupted.
    prompted: "BUSY",
    idle: "READY",
    permission_requested: "WAITING_FOR_APPROVAL",
    artifact_timed_out: "ARTIFACT_TIMEOUT",
    went_silent: "HUNG",
    died: "CRASHED",
    // It died before it accepted the prompt, and was continued at once.
    restored: "BUSY",
  },
  WAITING_FOR_APPROVAL: {
    ...ends,
    ...restarts,
    prompted: "BUSY",
    idle: "READY",
    permission_answered: "BUSY",
    artifact_timed_out: "ARTIFACT_TIMEOUT",
    died: "CRASHED",
  },
  ARTIFACT_TIMEOUT: { ...ends, resuming: "RESUMING" },
  HUNG: { ...ends, resuming: "RESUMING" },
  CRASHED: { ...ends, resuming: "RESUMING" },
  RESUMING: { ...ends, ready: "READY", rebootstrapped: "REBOOTSTRAPPED" },
  REBOOTSTRAPPED: { ...ends, ready: "READY", exhausted: "FAILED_NEEDS_HUMAN" },
  FAILED_NEEDS_HUMAN: { ...restarts },
  DISPOSED: {},
};

export function nextSessionState(state: SessionState, trigger: SessionTrigger): SessionState | undefined {
  return sessionTransitions[state][trigger];
}

/** How often each kind of recovery is tried before a person is asked. */
export const recoveryLimits = { sendPrompt: 2, resume: 2, rebootstrap: 1, repair: 1 } as const;
