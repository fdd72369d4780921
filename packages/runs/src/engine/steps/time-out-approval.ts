/** Nobody answered in time: the gate is frozen, not decided, and the run pauses. */
import { lockApproval, moveApproval } from "../../approvals/approval-repository.ts";
import { changeAt, type DriverContext } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";

export async function timeOutApproval(context: DriverContext, snapshot: Snapshot, approvalId: string): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    const approval = await lockApproval(fact, approvalId);
    await moveApproval(fact, approval, "time_out");
    const cause = `approval:${approval.id}:${approval.epoch}`;
    fact.moveRun("approval_timed_out", {}, { cause, payload: { reason: "nobody answered in time" } });
  });
}
