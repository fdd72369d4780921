/**
 * The states of a session.
 *
 * - `CREATED`: intended; the row stands before the process, so that no process is without a row.
 * - `BOOTSTRAPPING`: the agent starts. `READY`: it waits for a prompt. `BUSY`: it works on one.
 * - `WAITING_FOR_APPROVAL`: the agent asked for a permission.
 * - `ARTIFACT_TIMEOUT`, `HUNG`, `CRASHED`: it did not deliver, went silent, or died. All lead to `RESUMING`.
 * - `RESUMING`: taken up again; when that fails, `REBOOTSTRAPPED`: a new agent in its place.
 * - `FAILED_NEEDS_HUMAN`: recovery is used up. `DISPOSED`: ended on purpose. Both are final.
 */
import type { SessionState } from "@devflow/core/enums";

export const sessionTriggers = [
  "starting",
  "ready",
  "prompted",
  "idle",
  "permission_requested",
  "permission_answered",
  "artifact_timed_out",
  "went_silent",
  "died",
  "resuming",
  "rebootstrapped",
  "exhausted",
  "disposed",
] as const;
export type SessionTrigger = (typeof sessionTriggers)[number];

type Row = Readonly<Partial<Record<SessionTrigger, SessionState>>>;

const ends: Row = { exhausted: "FAILED_NEEDS_HUMAN", disposed: "DISPOSED" };

export const sessionTransitions: Readonly<Record<SessionState, Row>> = {
  CREATED: { ...ends, starting: "BOOTSTRAPPING", died: "CRASHED" },
  BOOTSTRAPPING: { ...ends, ready: "READY", died: "CRASHED" },
  READY: { ...ends, prompted: "BUSY", died: "CRASHED" },
  BUSY: {
    ...ends,
    idle: "READY",
    permission_requested: "WAITING_FOR_APPROVAL",
    artifact_timed_out: "ARTIFACT_TIMEOUT",
    went_silent: "HUNG",
    died: "CRASHED",
  },
  WAITING_FOR_APPROVAL: {
    ...ends,
    permission_answered: "BUSY",
    artifact_timed_out: "ARTIFACT_TIMEOUT",
    died: "CRASHED",
  },
  ARTIFACT_TIMEOUT: { ...ends, resuming: "RESUMING", died: "CRASHED" },
  HUNG: { ...ends, resuming: "RESUMING", died: "CRASHED" },
  CRASHED: { ...ends, resuming: "RESUMING" },
  RESUMING: { ...ends, ready: "READY", rebootstrapped: "REBOOTSTRAPPED", died: "CRASHED" },
  REBOOTSTRAPPED: { ...ends, ready: "READY", died: "CRASHED" },
  FAILED_NEEDS_HUMAN: { disposed: "DISPOSED" },
  DISPOSED: {},
};

export function nextSessionState(state: SessionState, trigger: SessionTrigger): SessionState | undefined {
  return sessionTransitions[state][trigger];
}

/** How often each kind of recovery is tried before a person is asked. */
export const recoveryLimits = { sendPrompt: 2, resume: 2, rebootstrap: 1, repair: 1 } as const;
