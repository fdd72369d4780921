/**
 * A gate that was approved at another machine, which cannot see the run's worktree: its own machine compares the work with
 * what the gate showed, before anything else is done.
 *
 * - `checkWork(context, snapshot, approvalId)` the run goes on if they are the same. If not, a recovery gate shows what came on
 *   top and pauses the run.
 * - `followChangedWork(fact, phase, answer)` the verdict on that gate: accepted, the run goes on where it was; with changes
 *   requested the phase is done again.
 */
import { DevflowError } from "@devflow/core/errors";
import { approvalChecked } from "../../approvals/approval-repository.ts";
import { changeAt, type DriverContext } from "../context.ts";
import { resumeIn } from "../control-run.ts";
import type { RunFact } from "../fact.ts";
import type { PhaseRow } from "../rows.ts";
import { runStateFor } from "../run-machine.ts";
import { describeAdded, isSameWork, ShownWork, shownWork, whatCameOnTop } from "../shown-work.ts";
import type { Snapshot } from "../snapshot.ts";
import { askRecovery, towards } from "./phase-steps.ts";

/** The recovery gate of work that is not what an approved gate showed; trying again accepts it. */
export const workChanged = "work_changed";

export async function checkWork(context: DriverContext, snapshot: Snapshot, approvalId: string): Promise<void> {
  const { run, approvals, phases } = snapshot;
  const approval = approvals.find((one) => one.id === approvalId);
  const phase = phases.find((one) => one.id === approval?.phase_id);
  if (!approval || !phase) throw new Error(`run ${run.id} has no approval ${approvalId} of a phase`);
  const shown = ShownWork.parse(approval.payload.shown);
  const now = await shownWork(context, run);
  const isSame = isSameWork(shown, now);
  const added = isSame ? undefined : await whatCameOnTop(context, run, shown, now).catch(ifGitFailed);
  await changeAt(context, snapshot, async (fact) => {
    await approvalChecked(fact, approval);
    if (isSame) return;
    const difference = added ? describeAdded(added) : "it was shown on a machine that the run has left";
    const reason = `the work is not what ${approval.gate_key} showed when it was approved: ${difference}; trying again accepts it`;
    // It may change once more while this gate is open.
    const subject = String(fact.run.event_seq);
    await askRecovery(fact, phase, workChanged, reason, { subject, payload: { shown: now, ...(added && { added }) } });
  });
}

/** Files that were never committed stay on the machine that a run leaves, so they cannot be compared here. */
function ifGitFailed(error: unknown): undefined {
  if (!(error instanceof DevflowError) || error.code !== "git_failed") throw error;
}

export async function followChangedWork(
  fact: RunFact,
  phase: PhaseRow,
  { comment, wantsChanges, cause }: { comment: string | undefined; wantsChanges: boolean; cause: string },
): Promise<PhaseRow | undefined> {
  // With another gate of the phase still open, changes are requested there.
  if (!wantsChanges || phase.state !== "completed") {
    await resumeIn(fact, cause);
    return undefined;
  }
  await fact.movePhase(phase, "again", { reason: null, ended_at: null, comment: comment ?? null });
  fact.moveRun(towards("paused", runStateFor(phase.kind)), {}, { cause });
  return phase;
}
