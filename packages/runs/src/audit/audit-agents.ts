/**
 * Looks at what the agents of a run did since the last look: the commands in their transcripts and in their requests for
 * permission. What breaks a rule on destructive commands becomes a finding.
 *
 * - `auditAgents(context, snapshot)` reads now; returns what is new, or undefined if nothing is.
 * - `recordAudit(fact, phase, findings)` records it. `auditNow` does both, in a fact of its own.
 * - `gitFinding(phase, changed)` what changed in the shared .git, as a finding.
 *
 * Where the last look ended is remembered in this process only. After a restart transcripts are read again from their
 * beginning; a finding is identified by its place, so nothing is recorded twice.
 */
import { uuidv5 } from "@devflow/core/ids";
import { type AuditedRule, auditCommand } from "@devflow/harness";
import { redactSecrets } from "@devflow/redact";
import { changeAsDriver, type DriverContext } from "../engine/context.ts";
import type { RunFact } from "../engine/fact.ts";
import type { PermissionRow, PhaseRow, SessionRow } from "../engine/rows.ts";
import { knownSecrets } from "../engine/run-secrets.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { adapterFor } from "../sessions/session-adapters.ts";
import { type AuditFinding, recordAuditFinding } from "./audit-repository.ts";
import { commandOf, commandsIn } from "./commands-in-transcript.ts";

/** By session: where the next look begins. */
const positions = new Map<string, number>();
/** The ids of findings that were recorded. */
const recorded = new Set<string>();

export async function auditAgents(
  context: DriverContext,
  snapshot: Snapshot,
): Promise<readonly AuditFinding[] | undefined> {
  const found: AuditFinding[] = [];
  for (const session of snapshot.sessions) {
    if (session.state === "BOOTSTRAPPING") continue;
    found.push(...(await inTranscript(context, session)));
  }
  const fresh = [...found, ...snapshot.permissions.flatMap((asked) => inPermission(snapshot, asked))].filter(
    (one) => !recorded.has(one.id),
  );
  if (fresh.length === 0) return undefined;
  const known = await knownSecrets(context, snapshot.run);
  return fresh.map((one) => ({ ...one, detail: redactSecrets(one.detail, { known }).text }));
}

export async function recordAudit(
  fact: RunFact,
  phase: PhaseRow | undefined,
  findings: readonly AuditFinding[] = [],
): Promise<void> {
  for (const one of findings) await recordAuditFinding(fact, phase, one);
}

export async function auditNow(context: DriverContext, snapshot: Snapshot, phase: PhaseRow | undefined): Promise<void> {
  const findings = await auditAgents(context, snapshot);
  if (!findings) return;
  await changeAsDriver(context, snapshot.run.id, (fact) => recordAudit(fact, phase, findings));
  for (const { id } of findings) recorded.add(id);
}

async function inTranscript(context: DriverContext, session: SessionRow): Promise<AuditFinding[]> {
  const start = positions.get(session.id) ?? 0;
  const text = await transcriptFrom(context, session, start);
  const { commands, next } = commandsIn(text, start);
  positions.set(session.id, next);
  return commands.flatMap(({ at, command }) =>
    auditCommand(command, session.cwd).map((rule) =>
      finding(`${session.id}:${at}`, rule, {
        role: session.role_id,
        source: "transcript",
        outcome: "seen",
        detail: command,
      }),
    ),
  );
}

/** Everything from there that is written now, in complete lines. */
async function transcriptFrom(context: DriverContext, session: SessionRow, start: number): Promise<string> {
  const adapter = adapterFor(context, session);
  let text = "";
  let after = start;
  for (;;) {
    const before = after;
    // With a signal that has already aborted, a capture reads once and ends.
    for await (const { seq, content } of adapter.capture(session.handle, after, AbortSignal.abort())) {
      text += content;
      after = seq;
    }
    if (after === before) return text;
  }
}

const outcomes = { allowed: "allowed", denied: "denied", withdrawn: "unanswered" } as const;

/** Asked for, whether or not it was allowed. One that still waits for its answer comes later. */
function inPermission({ sessions }: Snapshot, asked: PermissionRow): AuditFinding[] {
  const session = sessions.find((one) => one.id === asked.session_id);
  const command = commandOf(asked.tool, asked.detail);
  if (!session || command === undefined || asked.state === "pending") return [];
  const outcome = outcomes[asked.state];
  return auditCommand(command, session.cwd).map((rule) =>
    finding(asked.id, rule, { role: session.role_id, source: "permission", outcome, detail: command }),
  );
}

function finding(
  place: string,
  { rule, reason, severity }: AuditedRule,
  about: Pick<AuditFinding, "role" | "source" | "outcome" | "detail">,
): AuditFinding {
  return { id: uuidv5(auditNamespace, `${place}:${rule}`), rule, reason, severity, ...about };
}

export function gitFinding(phase: PhaseRow, changed: readonly string[]): AuditFinding {
  const id = uuidv5(auditNamespace, `git:${phase.id}:${phase.attempts}:${changed.join(",")}`);
  return {
    id,
    role: null,
    source: "git",
    outcome: "seen",
    severity: "high",
    rule: "shared .git",
    reason: "hooks and settings there run as whoever uses the repository",
    detail: changed.join(", "),
  };
}

const auditNamespace = "5b2f6a3e-8a5c-4d36-9a53-0d2f3a4c7e10";
