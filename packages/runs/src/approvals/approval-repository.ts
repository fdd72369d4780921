/**
 * The rows of approvals: the only module that writes `app.approval_requests`.
 *
 * - `requestApproval` opens a gate. `recordEvaluatedGate` records what the engine decided at an `auto:` gate.
 * - `moveApproval` changes an approval's state: asserts the transition, writes the row, emits the event.
 * - `approvalChecked` after an approval by somebody at another machine.
 * - `closeApprovals` aborts what is still open when a run ends.
 * - `stopApprovalClocks`, `restartApprovalClocks` exclude pauses from the time to answer.
 */
import { uuidv5 } from "@devflow/core/ids";
import { redactJson } from "@devflow/redact";
import { tellAtGate } from "../audit/audit-repository.ts";
import { illegalTransition, type RunFact } from "../engine/fact.ts";
import { ApprovalRow, type PhaseRow } from "../engine/rows.ts";
import { eventKey } from "../events/event-types.ts";
import { type ApprovalTrigger, nextApprovalState, stateOfVerdict } from "./approval-machine.ts";

type GatePhase = Pick<PhaseRow, "id" | "phase_key" | "attempts" | "loops">;

export interface NewApproval {
  readonly gate: string;
  readonly kind: "gate" | "recovery";
  /** What it is about, where a gate may be asked about several things in one attempt. */
  readonly subject?: string;
  /** Why it is asked; shown with the question. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly timeoutAt?: Date | null;
}

/** One question per gate and attempt; asking again changes nothing. Returns the approval's id. */
export async function requestApproval(
  fact: RunFact,
  phase: GatePhase,
  { gate, kind, subject, payload = {}, timeoutAt = null }: NewApproval,
): Promise<string> {
  const { id, key } = identityOf(fact, phase, subject === undefined ? gate : `${gate}:${subject}`, kind);
  const told = { phase: phase.phase_key, attempt: phase.attempts, ...payload };
  await insertApproval(fact, phase, { id, key, gate, kind, state: "pending", payload: told, timeoutAt });
  const audit = await tellAtGate(fact, id);
  fact.emit({
    type: "approval.requested",
    key: eventKey.approvalRequested(key, 1),
    phaseId: phase.id,
    payload: { approval: id, gate, kind, ...told, ...(audit > 0 ? { audit } : {}) },
  });
  fact.touch();
  return id;
}

export async function recordEvaluatedGate(
  fact: RunFact,
  phase: GatePhase,
  gate: string,
  passed: boolean,
): Promise<void> {
  const told = { phase: phase.phase_key, attempt: phase.attempts };
  const state = stateOfVerdict(passed ? "approve" : "reject");
  const identity = identityOf(fact, phase, gate, "gate");
  await insertApproval(fact, phase, { ...identity, gate, kind: "gate", state, payload: told, timeoutAt: null });
  fact.emit({
    type: "gate.evaluated",
    key: eventKey.gate(phase.id, gate, phase.attempts),
    phaseId: phase.id,
    payload: { gate, ...told, passed },
  });
}

/** `<run>:<phase>:<gate>:<attempt>`; a recovery gate may open again in a later round of the same attempt. */
function identityOf({ run }: RunFact, phase: GatePhase, gate: string, kind: "gate" | "recovery") {
  const attempt = kind === "recovery" ? `${phase.attempts}:${phase.loops}` : `${phase.attempts}`;
  const key = `${run.id}:${phase.phase_key}:${gate}:${attempt}`;
  return { id: uuidv5(run.id, `approval:${key}`), key };
}

interface ApprovalInsert extends Required<Omit<NewApproval, "subject">> {
  readonly id: string;
  readonly key: string;
  readonly state: ApprovalRow["state"];
}

async function insertApproval(fact: RunFact, phase: GatePhase, row: ApprovalInsert): Promise<void> {
  const { tx, run, now } = fact;
  const payload = redactJson(row.payload).value;
  await tx`
    insert into app.approval_requests (id, run_id, team_id, phase_id, gate_key, kind, state, idempotency_key, payload, timeout_at,
      created_at, resolved_at)
    values (${row.id}, ${run.id}, ${run.team_id}, ${phase.id}, ${row.gate}, ${row.kind}, ${row.state}, ${row.key},
      ${tx.json(payload as never)}, ${row.timeoutAt}, ${now}, ${row.state === "pending" ? null : now})
    on conflict (idempotency_key) do nothing`;
}

export interface ApprovalAbout {
  readonly comment?: string | null;
  /** What was chosen at a gate that offers a choice. */
  readonly choice?: string | undefined;
  /** When the reopened gate times out. */
  readonly timeoutAt?: Date | null;
  /** What the gate shows from now on. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

export async function moveApproval(
  fact: RunFact,
  approval: ApprovalRow,
  trigger: ApprovalTrigger,
  { comment = null, choice, timeoutAt = null, payload }: ApprovalAbout = {},
): Promise<void> {
  const next = nextApprovalState(approval.state, trigger);
  if (!next) throw illegalTransition(`Approval ${approval.id}`, approval.state, trigger);
  const { tx, now } = fact;
  const isAskedAgain = trigger === "unpause" || trigger === "work_changed";
  const epoch = isAskedAgain ? approval.epoch + 1 : approval.epoch;
  const isResolved = next !== "pending" && next !== "paused";
  const changed = {
    state: next,
    epoch,
    updated_at: now,
    ...(isResolved ? { resolved_at: now } : {}),
    ...(trigger === "unpause" ? { timeout_at: timeoutAt } : {}),
    ...(payload ? { payload: tx.json({ ...approval.payload, ...payload } as never) } : {}),
  };
  const rows = await tx`
    update app.approval_requests set ${tx(changed)} where id = ${approval.id} and state = ${approval.state} returning id`;
  if (rows.length === 0) throw illegalTransition(`Approval ${approval.id}`, "changed by someone else", trigger);
  const about = { approval: approval.id, gate: approval.gate_key };
  const { phase_id: phaseId } = approval;
  if (isAskedAgain) {
    const key = eventKey.approvalRequested(approval.idempotency_key, epoch);
    fact.emit({
      type: "approval.requested",
      key,
      phaseId,
      payload: { ...about, kind: approval.kind, epoch, ...payload },
    });
  } else if (trigger === "time_out") {
    const key = eventKey.approvalTimedOut(approval.id, epoch);
    fact.emit({ type: "approval.timed_out", key, phaseId, payload: { ...about, epoch } });
  } else {
    const key = eventKey.approvalResolved(approval.id, trigger);
    const chosen = choice === undefined ? {} : { choice };
    fact.emit({ type: "approval.resolved", key, phaseId, payload: { ...about, verdict: trigger, ...chosen, comment } });
  }
  fact.touch();
}

/** The run's own machine has compared the work with what the gate showed. */
export async function approvalChecked({ tx }: RunFact, { id }: ApprovalRow): Promise<void> {
  await tx`update app.approval_requests set payload = payload - 'unseen' where id = ${id}`;
}

/** A run that has ended has no open questions. */
export async function closeApprovals(fact: RunFact): Promise<void> {
  const rows = await fact.tx`
    select to_jsonb(q) as approval from app.approval_requests q
    where q.run_id = ${fact.run.id} and q.state in ('pending', 'paused') order by q.created_at, q.id for update`;
  for (const row of rows) await moveApproval(fact, ApprovalRow.parse(row.approval), "abort");
}

/** Locked, so that concurrent deciders are serialized here. */
export async function lockApproval({ tx }: RunFact, approvalId: string): Promise<ApprovalRow> {
  const [row] =
    await tx`select to_jsonb(q) as approval from app.approval_requests q where q.id = ${approvalId} for update`;
  return ApprovalRow.parse(row?.approval);
}

export async function pausedApprovals({ tx, run }: RunFact): Promise<ApprovalRow[]> {
  const rows = await tx`
    select to_jsonb(q) as approval from app.approval_requests q where q.run_id = ${run.id} and q.state = 'paused' for update`;
  return rows.map((row) => ApprovalRow.parse(row.approval));
}

/** Records when the clock of an open gate stopped; `restartApprovalClocks` gives that time back. */
export async function stopApprovalClocks({ tx, run, now }: RunFact): Promise<void> {
  await tx`update app.approval_requests set updated_at = ${now} where run_id = ${run.id} and state = 'pending'`;
}

export async function restartApprovalClocks({ tx, run, now }: RunFact): Promise<void> {
  await tx`
    update app.approval_requests set timeout_at = timeout_at + (${now}::timestamptz - updated_at), updated_at = ${now}
    where run_id = ${run.id} and state = 'pending' and timeout_at is not null`;
}

/** Which run an approval belongs to. */
export async function runOfApproval(tx: RunFact["tx"], approvalId: string): Promise<string | undefined> {
  const [row] = await tx<{ run_id: string | null }[]>`
    select run_id from app.approval_requests where id = ${approvalId}`;
  return row?.run_id ?? undefined;
}

export async function hasOpenRecovery({ tx, run }: RunFact): Promise<boolean> {
  const open = await tx`
    select from app.approval_requests where run_id = ${run.id} and kind = 'recovery' and state = 'pending'`;
  return open.length > 0;
}
