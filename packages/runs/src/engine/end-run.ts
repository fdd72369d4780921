/** The end of a run, whichever it is: phases that were at work have failed, those that were not begun are skipped. */
import { DevflowError } from "@devflow/core/errors";
import { eventKey } from "../events/event-types.ts";
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
  await fact.tx`
    update app.approval_requests set state = 'aborted', resolved_at = ${fact.now}, updated_at = ${fact.now}
    where run_id = ${fact.run.id} and state in ('pending', 'paused')`;
  // One that ended in line does not wait for a place any more.
  fact.moveRun(trigger, { failure_reason: reason, queued: false });
  fact.emit({
    type: `run.${ending}`,
    key: eventKey.run(`run.${ending}`, fact.run.id),
    payload: reason === null ? {} : { reason },
  });
}

async function endPhases(fact: RunFact, reason: string): Promise<void> {
  const rows = await fact.tx`
    select to_jsonb(p) as phase from app.run_phases p
    where p.run_id = ${fact.run.id} and p.state not in ('completed', 'failed', 'skipped') order by p.seq`;
  for (const row of rows) {
    const phase = PhaseRow.parse(row.phase);
    const state = await fact.movePhase(phase, "run_ended", { reason, ended_at: fact.now, active_since: null });
    const type = state === "skipped" ? "phase.skipped" : "phase.failed";
    fact.emit({
      type,
      key: eventKey.phase(type, phase.id, phase.attempts),
      phaseId: phase.id,
      payload: { phase: phase.phase_key, attempt: phase.attempts, reason },
    });
  }
}

/** A terminal run is nobody's to change any more. */
export function refuseTerminal({ run }: Pick<RunFact, "run">, wanted: string): void {
  const { state, id } = run;
  if (state === "completed" || state === "failed" || state === "aborted") {
    throw new DevflowError("illegal_transition", {
      details: { what: `Run ${id}`, state, wanted, next: `See how it ended: devflow run show ${id}` },
    });
  }
}
