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
  PermissionRow,
  PhaseRow,
  PromptRow,
  RunRow,
  SessionRow,
} from "./rows.ts";

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
  phases: z.array(PhaseRow),
  bindings: z.array(BindingRow),
  sessions: z.array(SessionRow),
  permissions: z.array(PermissionRow),
  /** What the run's agents have used so far. Dollars count only what has a price. */
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
      'phases', (select coalesce(jsonb_agg(to_jsonb(p) order by p.seq), '[]') from app.run_phases p where p.run_id = r.id),
      'bindings', (select coalesce(jsonb_agg(to_jsonb(b) || jsonb_build_object('persona', a.definition) order by b.role_id), '[]')
        from app.run_bindings b join app.agent_personas a on a.id = b.persona_id where b.run_id = r.id),
      'sessions', (select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object('usage_seq',
          (select coalesce(max(u.fact_seq), 0) from app.run_usage u where u.session_id = s.id)) order by s.created_at, s.id), '[]')
        from app.sessions s where s.run_id = r.id and s.incarnation = r.incarnation),
      'spent', (select jsonb_build_object('usd', coalesce(sum(u.cost_usd), 0),
          'tokens', coalesce(sum(u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_write_tokens), 0))
        from app.run_usage u where u.run_id = r.id),
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
