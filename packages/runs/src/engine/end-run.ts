/** Ends a run: active phases have failed, phases that did not begin are skipped. */
import { DevflowError } from "@devflow/core/errors";
import { closeApprovals } from "../approvals/approval-repository.ts";
import { withdrawPermissions } from "../permissions/permission-repository.ts";
import type { RunFact } from "./fact.ts";
import { PhaseRow } from "./rows.ts";
import type { RunTrigger } from "./run-machine.ts";

type Ending = "completed" | "failed" | "aborted";

const triggers: Readonly<Record<Ending, RunTrigger>> = {
  completed: "all_phases_done",
  failed: "failed",
  aborted: "aborted",
};

export async function endRun(
  fact: RunFact,
  ending: Ending,
  reason: string | null,
  trigger: RunTrigger = triggers[ending],
): Promise<void> {
  await endPhases(fact, reason ?? ending);
  await closeApprovals(fact);
  await withdrawPermissions(fact);
  // A queued run that ended no longer waits for a slot.
  const fields = { failure_reason: reason, queued: false, interrupt_requested: false };
  fact.moveRun(trigger, fields, { payload: reason === null ? {} : { reason } });
}

async function endPhases(fact: RunFact, reason: string): Promise<void> {
  const rows = await fact.tx`
    select to_jsonb(p) as phase from app.run_phases p
    where p.run_id = ${fact.run.id} and p.state not in ('completed', 'failed', 'skipped') order by p.seq`;
  for (const row of rows) {
    const phase = PhaseRow.parse(row.phase);
    const fields = { reason, ended_at: fact.now, active_since: null };
    await fact.movePhase(phase, "run_ended", fields, { payload: { reason } });
  }
}

/** A run that has ended cannot be changed. */
export function refuseTerminal({ run }: Pick<RunFact, "run">, wanted: string): void {
  const { state, id } = run;
  if (state === "completed" || state === "failed" || state === "aborted") {
    throw new DevflowError("illegal_transition", {
      details: { what: `Run ${id}`, state, wanted, next: `See how it ended: devflow run show ${id}` },
    });
  }
}
