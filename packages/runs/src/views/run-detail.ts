/** Everything that the page of a run shows first, in one statement. */
import type { ArtifactView, PhaseView, RunDetail, SessionView } from "@devflow/protocol";
import type { Reader } from "./reader.ts";
import {
  approvalJson,
  artifactsJson,
  attachmentJson,
  auditOfRun,
  messagesJson,
  openPermissionsJson,
  phasesJson,
  sessionsJson,
  summaryJson,
  tasksJson,
  waiverJson,
} from "./run-shapes.ts";

export async function runDetail({ database, claims }: Reader, runId: string): Promise<RunDetail | undefined> {
  const [row] = await database.withClaims(
    claims,
    (tx) => tx<{ run: RunDetail }[]>`
      select ${summaryJson(tx)} || jsonb_build_object(
        'requirements', i.requirements_md, 'worktree', r.worktree_root, 'baseCommit', coalesce(r.lane_base, r.base_commit),
        'bindings', (select coalesce(jsonb_agg(jsonb_build_object('role', b.role_id, 'persona', a.name || '@' || a.version,
            'backend', b.backend) order by b.role_id), '[]')
          from app.run_bindings b join app.agent_personas a on a.id = b.persona_id where b.run_id = r.id),
        'phases', ${phasesJson(tx)},
        'approvals', (select coalesce(jsonb_agg(${approvalJson(tx)} order by q.created_at, q.id), '[]')
          from app.approval_requests q left join app.run_phases p on p.id = q.phase_id where q.run_id = r.id),
        'sessions', ${sessionsJson(tx)},
        'artifacts', ${artifactsJson(tx)},
        'findings', (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'severity', f.severity, 'category', f.category,
            'file', f.file_path, 'line', f.line, 'summary', f.summary, 'evidence', f.evidence,
            'reviewers', array_prepend(f.reviewer_role, f.also_by), 'verifierStatus', f.verifier_status,
            'verifierReason', f.verifier_reason, 'resolved', f.resolved, 'waiver', ${waiverJson(tx)}) order by f.created_at, f.id), '[]')
          from app.review_findings f where f.run_id = r.id),
        'commands', (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'phase', p.phase_key, 'kind', c.kind,
            'argv', c.argv, 'exitCode', c.exit_code, 'failure', c.failure, 'startedAt', app.iso(c.started_at),
            'endedAt', app.iso(c.ended_at)) order by c.created_at, c.id), '[]')
          from app.commands c left join app.run_phases p on p.id = c.phase_id where c.run_id = r.id),
        'audit', ${auditOfRun(tx)},
        'tasks', ${tasksJson(tx)},
        'permissions', ${openPermissionsJson(tx)},
        'messages', ${messagesJson(tx)},
        'attachments', (select coalesce(jsonb_agg(${attachmentJson(tx)} order by a.created_at, a.id), '[]')
          from app.run_attachments a where a.run_id = r.id),
        'draftComments', (select count(*) from app.run_comments c where c.run_id = r.id and c.sent_at is null),
        'hasReport', r.final_report_path is not null, 'stepFailure', r.step_failure, 'pullRequest', r.pull_request,
        'forkOf', case when r.fork_phase is not null
          then jsonb_build_object('runId', r.forked_from, 'at', r.fork_phase, 'commit', r.fork_commit) end,
        'forks', (select coalesce(jsonb_agg(jsonb_build_object('runId', o.id, 'at', o.fork_phase, 'state', o.state)
            order by o.created_at, o.id), '[]')
          from app.runs o where o.forked_from = r.id)) as run
      from app.runs r join app.workflow_templates t on t.id = r.template_id join app.run_inputs i on i.run_id = r.id
      where r.id = ${runId}`,
  );
  return row?.run;
}

/** One of the lists alone, for a page that shows nothing else. */
export async function runPart<Part extends "phases" | "artifacts" | "sessions">(
  { database, claims }: Reader,
  runId: string,
  part: Part,
): Promise<{ phases: PhaseView[]; artifacts: ArtifactView[]; sessions: SessionView[] }[Part] | undefined> {
  const shapes = { phases: phasesJson, artifacts: artifactsJson, sessions: sessionsJson };
  const [row] = await database.withClaims(
    claims,
    (tx) => tx`
      select ${shapes[part](tx)} as part
      from app.runs r join app.workflow_templates t on t.id = r.template_id where r.id = ${runId}`,
  );
  return row?.part;
}
