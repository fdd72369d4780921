/**
 * Everything that determines a run's next step, read in one statement.
 *
 * - `loadSnapshot(tx, runId)` the snapshot, or undefined when there is no such run.
 */
import type { Transaction } from "@devflow/db";
import { z } from "zod";
import { Template } from "../templates/index.ts";
import {
  ApprovalRow,
  ArtifactRow,
  AttachmentRow,
  BindingRow,
  CommandRow,
  FindingRow,
  MessageRow,
  ParentRow,
  PermissionRow,
  PhaseRow,
  PromptRow,
  RunRow,
  SessionRow,
  TaskRow,
} from "./rows.ts";

/** What lanes are made of, as it was resolved when their parent was started. */
export const LaneDefinitions = z.object({
  /** `name@version`, its hash and its row. */
  template: z.string(),
  hash: z.string(),
  row: z.string(),
  schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
  personas: z.array(z.string()),
});
export type LaneDefinitions = z.infer<typeof LaneDefinitions>;

export const Snapshot = z.object({
  run: RunRow,
  template: z.unknown(),
  requirements: z.string(),
  overrides: z.record(z.string(), z.unknown()),
  extra: z.record(z.string(), z.unknown()).nullable(),
  /** What a person wrote instead of the template's instructions, by phase. */
  instructions: z.record(z.string(), z.string()),
  /** Artifact schemas that Devflow does not ship, by id. */
  schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
  /** Hashes of the repository's personas that may play. */
  personas: z.array(z.string()),
  /** The template and bindings of its lanes, if it can have any. */
  lanes: LaneDefinitions.nullable(),
  /** The run that this one is a lane of. */
  parent: ParentRow.nullable(),
  tasks: z.array(TaskRow),
  phases: z.array(PhaseRow),
  bindings: z.array(BindingRow),
  sessions: z.array(SessionRow),
  permissions: z.array(PermissionRow),
  /** What the run's agents have used so far, with those of its lanes, or of its parent. Dollars count only what has a price. */
  spent: z.object({ usd: z.number(), tokens: z.number() }),
  /** Those that their agent does not have yet, as far as is known. */
  messages: z.array(MessageRow),
  /** Those whose files are there, without those of drafts. */
  attachments: z.array(AttachmentRow),
  approvals: z.array(ApprovalRow),
  artifacts: z.array(ArtifactRow),
  commands: z.array(CommandRow),
  findings: z.array(FindingRow),
  prompts: z.array(PromptRow),
});
export type Snapshot = Omit<z.infer<typeof Snapshot>, "template"> & { readonly template: Template };

/** Templates never change under their hash, so each is parsed only once. */
const parsedTemplates = new Map<string, Template>();

export async function loadSnapshot(tx: Transaction, runId: string): Promise<Snapshot | undefined> {
  const [row] = await tx<{ snapshot: unknown }[]>`
    select jsonb_build_object(
      'run', to_jsonb(r),
      'template', t.definition,
      'requirements', i.requirements_md,
      'overrides', i.overrides,
      'extra', i.extra,
      'instructions', i.instructions,
      'schemas', i.schemas,
      'personas', i.personas,
      'lanes', i.lanes,
      'parent', (select jsonb_build_object('id', u.id, 'state', u.state, 
          'paused_seq', z.seq, 'paused_hard', coalesce(z.hard, false),
          'max_usd', u.max_usd, 'max_tokens', u.max_tokens, 'budget_grants', u.budget_grants)
        from app.runs u left join lateral (select e.seq, (e.payload ->> 'hard')::boolean as hard from app.run_events e
          where e.run_id = u.id and e.type = 'run.paused' order by e.seq desc limit 1) z on true
        where u.id = r.parent_run_id),
      'tasks', (select coalesce(jsonb_agg(to_jsonb(k) || jsonb_build_object('lane', case when l.id is not null then
          jsonb_build_object('state', l.state, 'closed', l.final_report_path is not null, 'event_seq', l.event_seq,
            'chain_head', l.chain_head, 'base', l.lane_base, 'branch', l.branch, 'worktree', l.worktree_root,
            'failure_reason', l.failure_reason) end) order by k.seq), '[]')
        from app.run_tasks k left join app.runs l on l.id = k.lane_run_id where k.run_id = r.id),
      'phases', (select coalesce(jsonb_agg(to_jsonb(p) order by p.seq), '[]') from app.run_phases p where p.run_id = r.id),
      'bindings', (select coalesce(jsonb_agg(to_jsonb(b) || jsonb_build_object('persona', a.definition) order by b.role_id), '[]')
        from app.run_bindings b join app.agent_personas a on a.id = b.persona_id where b.run_id = r.id),
      'sessions', (select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object('usage_seq',
          (select coalesce(max(u.fact_seq), 0) from app.run_usage u where u.session_id = s.id)) order by s.created_at, s.id), '[]')
        from app.sessions s where s.run_id = r.id and s.incarnation = r.incarnation),
      'spent', (select jsonb_build_object('usd', coalesce(sum(u.cost_usd), 0),
          'tokens', coalesce(sum(u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_write_tokens), 0))
        from app.run_usage u
        -- One array, so that the index is used also where there are no lanes.
        where u.run_id = any (array(select r.root_run_id union all
          select l.id from app.runs l where l.root_run_id = r.root_run_id and l.parent_run_id is not null))),
      'permissions', (select coalesce(jsonb_agg(to_jsonb(n) order by n.created_at, n.id), '[]') from app.permission_requests n where n.run_id = r.id),
      'messages', (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'session_id', m.session_id, 'text', m.text,
          'delivered_at', m.delivered_at) order by m.created_at, m.id), '[]')
        from app.session_messages m where m.run_id = r.id and m.received_at is null),
      'attachments', (select coalesce(jsonb_agg(to_jsonb(a) || jsonb_build_object('comment', case when c.id is not null then
          jsonb_build_object('file', c.file_path, 'line', c.first_line, 'decision_id', c.decision_id,
            'message_id', c.message_id, 'phase_id', c.sent_phase_id, 'attempt', c.sent_attempt) end)
          order by a.created_at, a.id), '[]')
        from app.run_attachments a left join app.run_comments c on c.id = a.comment_id
        where a.run_id = r.id and a.removed_at is null and (c.id is null or c.sent_at is not null)),
      'approvals', (select coalesce(jsonb_agg(to_jsonb(q) order by q.created_at, q.id), '[]') from app.approval_requests q where q.run_id = r.id),
      'artifacts', (select coalesce(jsonb_agg(to_jsonb(f) - 'content' - 'validation_error' order by f.created_at, f.id), '[]') from app.artifacts f where f.run_id = r.id),
      'commands', (select coalesce(jsonb_agg(to_jsonb(c) - 'tail' order by c.created_at, c.id), '[]') from app.commands c where c.run_id = r.id),
      'findings', (select coalesce(jsonb_agg(to_jsonb(g) order by g.created_at, g.id), '[]') from app.review_findings g where g.run_id = r.id),
      'prompts', (select coalesce(jsonb_agg(jsonb_build_object('phase_id', e.phase_id, 'role', e.payload ->> 'role',
          'attempt', (e.payload ->> 'attempt')::int, 'dedup_key', e.payload ->> 'dedupKey') order by e.seq), '[]')
        from app.run_events e where e.run_id = r.id and e.type in ('prompt.sent', 'prompt.repaired'))
    ) as snapshot
    from app.runs r
    join app.workflow_templates t on t.id = r.template_id
    join app.run_inputs i on i.run_id = r.id
    where r.id = ${runId}`;
  if (!row) return undefined;
  const snapshot = Snapshot.parse(row.snapshot);
  return { ...snapshot, template: templateOf(snapshot.run.template_hash, snapshot.template) };
}

function templateOf(hash: string, definition: unknown): Template {
  const known = parsedTemplates.get(hash);
  if (known) return known;
  const parsed = Template.parse(definition);
  parsedTemplates.set(hash, parsed);
  return parsed;
}
