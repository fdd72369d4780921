/** Pause, resume and abort, from wherever the run is. */
import { DevflowError } from "@devflow/core/errors";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { change, type EngineContext } from "./context.ts";
import { endRun, refuseTerminal } from "./end-run.ts";
import type { RunFact } from "./fact.ts";
import { definitionOf } from "./next-step.ts";
import { ApprovalRow, type RunRow } from "./rows.ts";
import type { RunTrigger } from "./run-machine.ts";
import { loadSnapshot, type Snapshot } from "./snapshot.ts";

/** Soft: no new prompts and no advance; what an agent is writing it may finish. */
export async function pauseRun(
  context: EngineContext,
  runId: string,
  clientToken: string,
  actor: Actor,
): Promise<void> {
  refuseAgent(actor);
  await change(
    context,
    runId,
    async (fact) => {
      refuseTerminal(fact, "paused");
      const cause = `command:${clientToken}`;
      if (await isRecorded(fact, eventKey.pause("run.paused", runId, cause))) return;
      await stopTimers(fact);
      fact.moveRun("paused", { pause_cause: cause });
      fact.emit({ type: "run.paused", key: eventKey.pause("run.paused", runId, cause), payload: { cause } });
    },
    actor,
  );
}

const resumption: Readonly<Record<NonNullable<RunRow["paused_from_state"]>, RunTrigger>> = {
  bound: "resumed_to_bound",
  planning: "resumed_to_planning",
  executing: "resumed_to_executing",
  awaiting_approval: "resumed_to_awaiting_approval",
};

export async function resumeRun(
  context: EngineContext,
  runId: string,
  clientToken: string,
  actor: Actor,
): Promise<void> {
  refuseAgent(actor);
  await change(
    context,
    runId,
    async (fact) => {
      refuseTerminal(fact, "resumed");
      const cause = `command:${clientToken}`;
      if (await isRecorded(fact, eventKey.pause("run.resumed", runId, cause))) return;
      const from = fact.run.paused_from_state;
      if (fact.run.state !== "paused" || from === null) {
        throw new DevflowError("illegal_transition", {
          details: { what: `Run ${runId}`, state: fact.run.state, wanted: "resumed", next: "It is not paused." },
        });
      }
      await refuseOpenRecovery(fact);
      if (from === "awaiting_approval") await askAgain(fact);
      await fact.tx`
        update app.run_phases set active_since = ${fact.now}
        where run_id = ${runId} and state in ('running', 'awaiting_artifact', 'validating')`;
      fact.moveRun(resumption[from]);
      fact.emit({ type: "run.resumed", key: eventKey.pause("run.resumed", runId, cause), payload: { cause } });
    },
    actor,
  );
}

/** The same token again, perhaps long after. */
async function isRecorded({ tx, run }: RunFact, key: string): Promise<boolean> {
  const known = await tx`select from app.run_events where run_id = ${run.id} and idempotency_key = ${key}`;
  return known.length > 0;
}

/** A gate whose time ran out is asked again, in a new epoch and with all its time; one that was pending gets the rest. */
async function askAgain(fact: RunFact): Promise<void> {
  await fact.tx`
    update app.approval_requests set timeout_at = timeout_at + (${fact.now}::timestamptz - updated_at), updated_at = ${fact.now}
    where run_id = ${fact.run.id} and state = 'pending' and timeout_at is not null`;
  const snapshot = await loadSnapshot(fact.tx, fact.run.id);
  const rows = await fact.tx`
    select to_jsonb(q) as approval from app.approval_requests q where q.run_id = ${fact.run.id} and q.state = 'paused' for update`;
  for (const row of rows) {
    const approval = ApprovalRow.parse(row.approval);
    const epoch = approval.epoch + 1;
    await fact.tx`
      update app.approval_requests set state = 'pending', epoch = ${epoch}, updated_at = ${fact.now},
        timeout_at = ${timeoutOf(fact, snapshot, approval)}
      where id = ${approval.id}`;
    fact.emit({
      type: "approval.requested",
      key: eventKey.approvalRequested(approval.idempotency_key, epoch),
      phaseId: approval.phase_id,
      payload: { approval: approval.id, gate: approval.gate_key, kind: approval.kind, epoch },
    });
  }
}

function timeoutOf(fact: RunFact, snapshot: Snapshot | undefined, { phase_id: phaseId }: ApprovalRow): Date | null {
  const phase = snapshot?.phases.find((one) => one.id === phaseId);
  const timeoutMs = snapshot && phase ? definitionOf(snapshot, phase).approvalTimeoutMs : undefined;
  return timeoutMs === undefined ? null : new Date(fact.now.getTime() + timeoutMs);
}

/** Nobody answered in time: frozen, never decided. */
export async function timeOutApproval(context: EngineContext, runId: string): Promise<void> {
  await change(context, runId, async (fact) => {
    if (fact.run.state !== "awaiting_approval") return;
    const rows = await fact.tx`
      select to_jsonb(q) as approval from app.approval_requests q
      where q.run_id = ${runId} and q.state = 'pending' and q.timeout_at <= ${fact.now} for update`;
    const [row] = rows;
    if (!row) return;
    const approval = ApprovalRow.parse(row.approval);
    await fact.tx`update app.approval_requests set state = 'paused', updated_at = ${fact.now} where id = ${approval.id}`;
    const cause = `approval:${approval.id}:${approval.epoch}`;
    fact.moveRun("approval_timed_out", { pause_cause: cause });
    fact.emit({
      type: "run.paused",
      key: eventKey.pause("run.paused", runId, cause),
      payload: { cause, reason: "nobody answered in time" },
    });
  });
}

export async function abortRun(context: EngineContext, runId: string, reason: string, actor: Actor): Promise<void> {
  refuseAgent(actor);
  await change(
    context,
    runId,
    async (fact) => {
      if (fact.run.state === "aborted") return;
      refuseTerminal(fact, "aborted");
      await endRun(fact, "aborted", reason);
    },
    actor,
  );
}

async function refuseOpenRecovery({ tx, run }: RunFact): Promise<void> {
  const [open] = await tx<{ id: string }[]>`
    select id from app.approval_requests where run_id = ${run.id} and kind = 'recovery' and state = 'pending'`;
  if (!open) return;
  throw new DevflowError("illegal_transition", {
    details: {
      what: `Run ${run.id}`,
      state: "paused at a recovery gate",
      wanted: "resumed",
      next: `Decide it: devflow run approve ${run.id} (try again), or devflow run reject ${run.id}`,
    },
  });
}

async function stopTimers({ tx, run, now }: RunFact): Promise<void> {
  await tx`
    update app.run_phases set active_ms = active_ms + extract(epoch from (${now}::timestamptz - active_since)) * 1000, active_since = null
    where run_id = ${run.id} and active_since is not null`;
  // Since when an open gate waits for nobody; resuming gives it that time back.
  await tx`update app.approval_requests set updated_at = ${now} where run_id = ${run.id} and state = 'pending'`;
}

function refuseAgent(actor: Actor): void {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
}
