/**
 * The rows of what agents did against the rules: the only module that writes `app.audit_findings`.
 *
 * - `recordAuditFinding` once, whoever sees it how often, with its event. It is told at the gate that is open, or at the next.
 * - `tellAtGate` those that no gate has told of yet belong to the gate that opens now; returns how many there are.
 */
import type { AuditSeverity } from "@devflow/harness";
import { redactSecrets } from "@devflow/redact";
import type { RunFact } from "../engine/fact.ts";
import type { PhaseRow } from "../engine/rows.ts";
import { eventKey } from "../events/event-types.ts";

export interface AuditFinding {
  /** Derived from where it was seen. */
  readonly id: string;
  readonly role: string | null;
  readonly source: "transcript" | "permission" | "git";
  readonly outcome: "seen" | "allowed" | "denied" | "unanswered";
  readonly severity: AuditSeverity;
  readonly rule: string;
  readonly reason: string;
  readonly detail: string;
}

const longest = 2_000;

export async function recordAuditFinding(
  fact: RunFact,
  phase: Pick<PhaseRow, "id" | "phase_key" | "attempts"> | undefined,
  finding: AuditFinding,
): Promise<void> {
  const { tx, run, now } = fact;
  const { id, role, source, outcome, severity, rule, reason } = finding;
  const detail = redactSecrets(finding.detail).text.slice(0, longest);
  const attempt = phase?.attempts ?? 0;
  // A command is in the transcript before its permission is asked for: with the answer, that becomes the same finding.
  const known =
    source === "permission"
      ? await tx`
          update app.audit_findings set source = 'permission', outcome = ${outcome}
          where run_id = ${run.id} and role_id = ${role} and rule = ${rule} and detail = ${detail} and source = 'transcript'
          returning id`
      : await tx`
          select from app.permission_requests n join app.sessions s on s.id = n.session_id
          where n.run_id = ${run.id} and s.role_id = ${role} and n.detail = ${detail}`;
  if (known.length > 0) return;
  const rows = await tx`
    insert into app.audit_findings (id, run_id, team_id, phase_id, attempt, role_id, source, outcome, severity, rule, reason, detail,
      approval_id, created_at)
    values (${id}, ${run.id}, ${run.team_id}, ${phase?.id ?? null}, ${attempt}, ${role}, ${source}, ${outcome}, ${severity}, ${rule},
      ${reason}, ${detail},
      (select q.id from app.approval_requests q where q.run_id = ${run.id} and q.state = 'pending' order by q.created_at limit 1),
      ${now})
    on conflict (id) do nothing returning id`;
  if (rows.length === 0) return;
  fact.emit({
    type: "audit.finding_recorded",
    key: eventKey.audit(id),
    phaseId: phase?.id ?? null,
    payload: {
      finding: id,
      phase: phase?.phase_key ?? null,
      attempt,
      role,
      source,
      outcome,
      severity,
      rule,
      reason,
      detail,
    },
  });
  fact.touch();
}

export async function tellAtGate({ tx, run }: RunFact, approvalId: string): Promise<number> {
  const rows = await tx`
    update app.audit_findings set approval_id = ${approvalId}
    where run_id = ${run.id} and approval_id is null returning id`;
  return rows.length;
}
