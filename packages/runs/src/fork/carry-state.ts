/**
 * The rows with which a fork begins: phases that are done, their artifacts, the results of their commands, and findings.
 *
 * - `carryState(tx, origin, fork, state)` writes them, in the transaction that creates the fork. Returns the artifacts
 *   under their paths in the fork's folder, for its log.
 */
import { join, relative } from "node:path";
import { uuidv5, uuidv7 } from "@devflow/core/ids";
import type { Transaction } from "@devflow/db";
import { artifactFolder } from "../artifacts/index.ts";
import type { PhaseRow } from "../engine/rows.ts";
import { FindingRow } from "../engine/rows.ts";
import type { Template } from "../templates/index.ts";
import type { PastArtifact, PastFindings, StateBefore } from "./state-before.ts";

export interface ForkedRun {
  readonly id: string;
  readonly teamId: string;
  readonly folder: string;
}

interface Carried {
  readonly origin: ForkedRun;
  readonly fork: ForkedRun;
  readonly state: StateBefore;
}

const phaseIdOf = (runId: string, key: string): string => uuidv5(runId, `phase:${key}`);

export async function carryState(tx: Transaction, template: Template, carried: Carried): Promise<PastArtifact[]> {
  await carryPhases(tx, template, carried);
  const artifacts = await carryArtifacts(tx, carried);
  await carryCommands(tx, carried);
  await carryFindings(tx, carried);
  return artifacts;
}

async function carryPhases(tx: Transaction, template: Template, { fork, state }: Carried): Promise<void> {
  const rows = template.phases.map((phase, index) => {
    const past = state.phases.find((one) => one.key === phase.key);
    return {
      id: phaseIdOf(fork.id, phase.key),
      run_id: fork.id,
      team_id: fork.teamId,
      phase_key: phase.key,
      seq: index + 1,
      kind: phase.kind,
      state: (past?.state ?? "pending") satisfies PhaseRow["state"],
      attempts: past?.attempts ?? 0,
      automatic_attempts: past?.state === "completed" ? 1 : 0,
      reason: past?.reason ?? null,
      started_at: past?.startedAt ?? null,
      ended_at: past?.endedAt ?? null,
    };
  });
  await tx`insert into app.run_phases ${tx(rows)}`;
}

async function carryArtifacts(tx: Transaction, { origin, fork, state }: Carried): Promise<PastArtifact[]> {
  const moved: PastArtifact[] = [];
  for (const artifact of state.artifacts) {
    const path = join(artifactFolder(fork.folder), relative(artifactFolder(origin.folder), artifact.path));
    await tx`
      insert into app.artifacts (id, run_id, team_id, phase_id, role_id, attempt, path, schema_id, hash, bytes, valid, content)
      select ${uuidv7()}, ${fork.id}, ${fork.teamId}, ${phaseIdOf(fork.id, artifact.phase)}, role_id, attempt, ${path}, schema_id,
        hash, bytes, valid, content
      from app.artifacts
      where run_id = ${origin.id} and path = ${artifact.path} and hash = ${artifact.hash} and attempt = ${artifact.attempt}`;
    moved.push({ ...artifact, path });
  }
  return moved;
}

/** Their results count, such as at the gate that asks whether tests pass. Their logs stay where they are. */
async function carryCommands(tx: Transaction, { origin, fork, state }: Carried): Promise<void> {
  const keys = state.phases.map((phase) => phase.key);
  const rows = await tx<{ id: string; phase_key: string }[]>`
    select c.id, p.phase_key from app.commands c join app.run_phases p on p.id = c.phase_id
    where c.run_id = ${origin.id} and c.ended_at < ${state.at} and p.phase_key in (select jsonb_array_elements_text(${tx.json(keys)}))`;
  for (const { id, phase_key: key } of rows) {
    await tx`
      insert into app.commands (id, run_id, team_id, phase_id, attempt, kind, argv, cwd, exit_code, failure, stdout_path, stderr_path,
        tail, stdout_hash, stderr_hash, started_at, ended_at, created_at)
      select ${uuidv5(fork.id, `forked:${id}`)}, ${fork.id}, ${fork.teamId}, ${phaseIdOf(fork.id, key)}, attempt, kind, argv, cwd,
        exit_code, failure, stdout_path, stderr_path, tail, stdout_hash, stderr_hash, started_at, ended_at, created_at
      from app.commands where id = ${id}`;
  }
}

async function carryFindings(tx: Transaction, { origin, fork, state }: Carried): Promise<void> {
  const rows = await tx<{ finding: unknown; phase_key: string; created_at: Date }[]>`
    select to_jsonb(f) as finding, p.phase_key, f.created_at
    from app.review_findings f join app.run_phases p on p.id = f.phase_id
    where f.run_id = ${origin.id} and f.created_at < ${state.at}`;
  for (const { finding, phase_key: key, created_at: createdAt } of rows) {
    const row = FindingRow.parse(finding);
    const then = findingThen(row, createdAt, state.findings);
    await tx`
      insert into app.review_findings (id, run_id, team_id, phase_id, attempt, reviewer_role, finding_key, also_by, severities, severity,
        category, file_path, line, summary, evidence, created_at, verifier_status, verifier_reason, resolved,
        waived_at, waived_by, waiver_reason)
      select ${uuidv5(fork.id, `finding:${row.finding_key}`)}, ${fork.id}, ${fork.teamId}, ${phaseIdOf(fork.id, key)}, attempt,
        reviewer_role, finding_key, also_by, severities, severity, category, file_path, line, summary, evidence, created_at,
        ${then.status}, ${then.reason}, ${then.resolved},
        case when ${then.waived} then waived_at end, case when ${then.waived} then waived_by end,
        case when ${then.waived} then waiver_reason end
      from app.review_findings where id = ${row.id}`;
  }
}

/** What had become of a finding by then. Without a review in the run's own log it came with a fork, and is as it came. */
function findingThen(row: FindingRow, createdAt: Date, { last, verdicts, waived }: PastFindings) {
  const verdict = verdicts.get(row.id);
  const isReported = last === null || last.keys.has(row.finding_key) || createdAt.toISOString() >= last.at;
  return {
    status: verdict?.status ?? (last === null ? row.verifier_status : "unverified"),
    reason: verdict?.reason ?? null,
    resolved: isReported ? last === null && row.resolved : row.resolved,
    waived: waived.has(row.id) || (last === null && row.waived_at !== null),
  };
}
