/**
 * The JSON of a run's parts, built by Postgres in the shape of the contracts, so that a page costs one round trip.
 *
 * Each fragment names the aliases that it expects: `r` runs, `t` its template, `p` a phase, `q` an approval.
 */
import type { Transaction } from "@devflow/db";

/** A `RunSummary`; expects `r` and `t`. */
export const summaryJson = (tx: Transaction) => tx`
  jsonb_build_object('id', r.id, 'teamId', r.team_id, 'title', r.title, 'template', t.name || '@' || t.version,
    'state', r.state, 'queued', r.queued, 'repository', coalesce(r.remote, r.repo_path), 'remote', r.remote, 'baseBranch', r.base_branch, 'branch', r.branch,
    'startedBy', jsonb_build_object('id', r.started_by,
      'name', coalesce((select u.name from app.users u where u.id = r.started_by), 'a former member')),
    'host', r.host, 'machine', app.host_name(r.host),
    'parent', (select jsonb_build_object('runId', w.id, 'title', w.title, 'lane', r.lane_id, 'try', r.lane_try)
      from app.runs w where w.id = r.parent_run_id),
    'phase', (select jsonb_build_object('key', p.phase_key, 'title', ${phaseTitle(tx)}, 'seq', p.seq,
        'of', jsonb_array_length(t.definition -> 'phases'), 'attempt', p.attempts)
      from app.run_phases p where p.id = r.current_phase_id),
    'pendingApprovals', (select count(*) from app.approval_requests q where q.run_id = r.id and q.state = 'pending'),
    'pendingRecoveries', (select count(*) from app.approval_requests q
      where q.run_id = r.id and q.state = 'pending' and q.kind = 'recovery'),
    'pendingPermissions', (select count(*) from app.permission_requests n where n.run_id = r.id and n.state = 'pending'),
    'failureReason', r.failure_reason, 'pauseCause', r.pause_cause,
    'rateLimitedUntil', case when r.rate_limited_until > now() and r.ended_at is null then app.iso(r.rate_limited_until) end,
    'budget', jsonb_build_object('usd', r.max_usd * (r.budget_grants + 1), 'tokens', r.max_tokens * (r.budget_grants + 1)),
    'cost', (select jsonb_build_object('usd', case when count(*) > 0 and count(*) = count(g.cost_usd) then sum(g.cost_usd) end,
        'inputTokens', coalesce(sum(g.input_tokens), 0), 'outputTokens', coalesce(sum(g.output_tokens), 0))
      from app.run_usage g where g.run_id = r.id),
    'eventSeq', r.event_seq, 'createdAt', app.iso(r.created_at), 'startedAt', app.iso(r.started_at),
    'endedAt', app.iso(r.ended_at), 'updatedAt', app.iso(r.updated_at))`;

const phaseTitle = (tx: Transaction) =>
  tx`coalesce(t.definition #>> array['phases', (p.seq - 1)::text, 'title'], p.phase_key)`;

/** The list of `PhaseView`; expects `r` and `t`. */
export const phasesJson = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'key', p.phase_key, 'title', ${phaseTitle(tx)}, 'kind', p.kind,
      'seq', p.seq, 'state', p.state,
      'risk', coalesce(t.definition #>> array['phases', (p.seq - 1)::text, 'risk'], 'low'), 'attempts', p.attempts,
      'repair', p.repair, 'loops', p.loops, 'reason', p.reason, 'comment', p.comment, 'startedAt', app.iso(p.started_at),
      'endedAt', app.iso(p.ended_at)) order by p.seq), '[]')
    from app.run_phases p where p.run_id = r.id)`;

/** A lane's question names the run that it belongs to; expects `r`. */
export const titleWithLane = (tx: Transaction) => tx`
  coalesce((select w.title || ', lane ' || r.lane_id from app.runs w where w.id = r.parent_run_id), r.title)`;

/** The list of `TaskView`; expects `r`. */
export const tasksJson = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(jsonb_build_object('id', k.task_id, 'title', k.title, 'state', k.state,
      'dependsOn', k.depends_on, 'writeSet', k.write_set, 'tests', k.tests, 'reason', k.reason, 'tries', k.tries,
      'order', k.merge_order, 'mergeCommit', k.merge_commit,
      'lane', case when l.id is not null then jsonb_build_object('runId', l.id, 'state', l.state, 'queued', l.queued,
        'branch', l.branch, 'worktree', l.worktree_root, 'host', l.host, 'machine', app.host_name(l.host),
        'phase', (select p.phase_key from app.run_phases p where p.id = l.current_phase_id),
        'questions', (select count(*) from app.approval_requests q where q.run_id = l.id and q.state = 'pending')
          + (select count(*) from app.permission_requests n where n.run_id = l.id and n.state = 'pending')) end,
      'collisions', (select coalesce(jsonb_agg(jsonb_build_object(
          'with', case when c.lane = k.task_id then c.other else c.lane end,
          'files', (select jsonb_agg(f -> 'path') from jsonb_array_elements(c.files) f)) order by c.lane, c.other), '[]')
        from app.lane_collisions c where c.run_id = r.id and k.task_id in (c.lane, c.other)
          and k.state in ('working', 'finished'))) order by k.seq), '[]')
    from app.run_tasks k left join app.runs l on l.id = k.lane_run_id where k.run_id = r.id)`;

/** An `ApprovalView`; expects `r`, `q` and `p`, which may be empty. */
export const approvalJson = (tx: Transaction) => tx`
  jsonb_build_object('id', q.id, 'runId', r.id, 'runTitle', ${titleWithLane(tx)}, 'phase', p.phase_key, 'gate', q.gate_key,
    'kind', q.kind, 'state', q.state, 'epoch', q.epoch, 'reason', q.payload ->> 'reason',
    'detail', q.payload ->> 'detail', 'choices', coalesce(q.payload -> 'choices', '[]'), 'lane', q.payload ->> 'lane',
    'parent', (select jsonb_build_object('runId', w.id, 'title', w.title, 'lane', r.lane_id)
      from app.runs w where w.id = r.parent_run_id),
    'shown', q.payload -> 'shown', 'added', q.payload -> 'added',
    'audit', ${auditAtGate(tx)},
    'timeoutAt', app.iso(q.timeout_at), 'createdAt', app.iso(q.created_at), 'resolvedAt', app.iso(q.resolved_at),
    'decision', (select jsonb_build_object('verdict', d.action, 'comment', d.comment, 'actor', ${namedActor(tx)},
        'decidedAt', app.iso(d.decided_at))
      from app.approval_decisions d where d.approval_request_id = q.id))`;

/** An `AuditFindingView`; expects `d`. */
const auditJson = (tx: Transaction) => tx`
  jsonb_build_object('id', d.id, 'phase', (select p.phase_key from app.run_phases p where p.id = d.phase_id),
    'attempt', d.attempt, 'role', d.role_id, 'source', d.source, 'outcome', d.outcome, 'severity', d.severity, 'rule', d.rule,
    'reason', d.reason, 'detail', d.detail, 'at', app.iso(d.created_at))`;

/** The list of `AuditFindingView` of a run, the gravest first; expects `r`. */
export const auditOfRun = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(${auditJson(tx)} order by array_position(array['high', 'medium', 'low'], d.severity), d.created_at, d.id), '[]') from app.audit_findings d where d.run_id = r.id)`;

/** Those that a gate tells of; expects `q`. */
const auditAtGate = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(${auditJson(tx)} order by array_position(array['high', 'medium', 'low'], d.severity), d.created_at, d.id), '[]') from app.audit_findings d
    where d.approval_id = q.id)`;

/** Who decided, with the name that the caller may see; expects `d`. */
export const namedActor = (tx: Transaction) => tx`
  d.actor || coalesce((select jsonb_build_object('name', u.name) from app.users u where u.id = (d.actor ->> 'userId')::uuid), '{}')`;

/** Who let a finding stand, and why; null if nobody did. Expects `f`. */
export const waiverJson = (tx: Transaction) => tx`
  case when f.waived_at is null then null else jsonb_build_object('reason', f.waiver_reason, 'at', app.iso(f.waived_at),
    'by', f.waived_by || coalesce((select jsonb_build_object('name', u.name) from app.users u
      where u.id = (f.waived_by ->> 'userId')::uuid), '{}')) end`;

/** A `SessionView`; expects `s`. */
export const sessionJson = (tx: Transaction) => tx`
  jsonb_build_object('id', s.id, 'role', s.role_id, 'lane', (select l.lane_id from app.runs l where l.id = s.run_id), 'backend', s.backend,
    'persona', coalesce((select a.name || '@' || a.version from app.run_bindings b
      join app.agent_personas a on a.id = b.persona_id where b.run_id = s.run_id and b.role_id = s.role_id), s.role_id),
    'state', s.state, 'recoveries', s.recovery_attempts, 'transcriptSeq', s.last_capture_seq,
    'screen', case when s.handle ? 'tmuxSocket'
      then jsonb_build_object('socket', s.handle ->> 'tmuxSocket', 'session', s.handle ->> 'tmuxSession') end)`;

/** The list of `SessionView`; expects `r`. */
export const sessionsJson = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(${sessionJson(tx)} order by s.created_at, s.id), '[]')
    from app.sessions s where s.run_id = r.id)`;

/** The list of `ArtifactView`, without content; expects `r`. */
export const artifactsJson = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'phase', p.phase_key, 'role', f.role_id, 'attempt', f.attempt,
      'path', f.path, 'name', regexp_replace(f.path, '^.*/', ''), 'schema', f.schema_id, 'hash', f.hash, 'bytes', f.bytes,
      'valid', f.valid, 'errors', coalesce(f.validation_error, '[]'), 'createdAt', app.iso(f.created_at))
      order by f.created_at, f.id), '[]')
    from app.artifacts f left join app.run_phases p on p.id = f.phase_id where f.run_id = r.id)`;

/** A `RunEventView`; expects `e`, and `p`, which may be empty. */
export const eventJson = (tx: Transaction) => tx`
  jsonb_build_object('seq', e.seq, 'type', e.type, 'phase', p.phase_key, 'payload', e.payload, 'actor', e.actor,
    'at', app.iso(e.ts), 'hash', e.hash)`;

/** An `AttachmentView`; expects `a`. */
export const attachmentJson = (tx: Transaction) => tx`
  jsonb_build_object('id', a.id, 'name', a.name, 'mediaType', a.media_type, 'bytes', a.bytes, 'isRedacted', a.is_redacted,
    'isRemoved', a.removed_at is not null, 'commentId', a.comment_id, 'messageId', a.message_id)`;

/** The list of `MessageView`; expects `r`. */
export const messagesJson = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'role', s.role_id, 'text', m.text,
      'by', m.said_by || coalesce((select jsonb_build_object('name', u.name) from app.users u
        where u.id = (m.said_by ->> 'userId')::uuid), '{}'),
      'at', app.iso(m.created_at), 'deliveredAt', app.iso(m.delivered_at), 'receivedAt', app.iso(m.received_at))
      order by m.created_at, m.id), '[]')
    from app.session_messages m join app.sessions s on s.id = m.session_id where m.run_id = r.id)`;

/** A `PermissionView`; expects `n` and its session `s`. */
export const permissionJson = (tx: Transaction) => tx`
  jsonb_build_object('id', n.permission_id, 'sessionId', n.session_id, 'role', s.role_id, 'tool', n.tool,
    'detail', n.detail, 'covers', n.covers, 'askedAt', app.iso(n.created_at))`;

/** The list of `PermissionView` that wait for an answer; expects `r`. */
export const openPermissionsJson = (tx: Transaction) => tx`
  (select coalesce(jsonb_agg(${permissionJson(tx)} order by n.created_at, n.id), '[]')
    from app.permission_requests n join app.sessions s on s.id = n.session_id
    where n.run_id = r.id and n.state = 'pending')`;
