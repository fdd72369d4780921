/**
 * The states of an approval: what a gate asks, and what a person answers.
 *
 * - `pending`: open; exactly one verdict, or a timeout, ends this epoch. When the work it shows has changed, it asks again
 *   (a new epoch).
 * - `paused`: it timed out. A timeout never decides anything; resuming the run asks again (a new epoch).
 * - `approved`, `rejected`, `changes_requested`, `aborted`: decided; final.
 */
import type { ApprovalState, Verdict } from "@devflow/core/enums";

export const approvalTriggers = [
  "approve",
  "reject",
  "request_changes",
  "abort",
  "time_out",
  "unpause",
  "work_changed",
] as const;
export type ApprovalTrigger = (typeof approvalTriggers)[number];

type Row = Readonly<Partial<Record<ApprovalTrigger, ApprovalState>>>;

export const approvalTransitions: Readonly<Record<ApprovalState, Row>> = {
  pending: {
    approve: "approved",
    reject: "rejected",
    request_changes: "changes_requested",
    abort: "aborted",
    time_out: "paused",
    work_changed: "pending",
  },
  // Aborting is always possible: a run must be endable even when nobody answers.
  paused: { unpause: "pending", abort: "aborted" },
  approved: {},
  rejected: {},
  changes_requested: {},
  aborted: {},
};

export function nextApprovalState(state: ApprovalState, trigger: ApprovalTrigger): ApprovalState | undefined {
  return approvalTransitions[state][trigger];
}

export function stateOfVerdict(verdict: Verdict): ApprovalState {
  const state = approvalTransitions.pending[verdict];
  if (!state) throw new Error(`no state for ${verdict}`);
  return state;
}
