/**
 * The final report of a run: everything that a reader, or `run verify`, needs, from the rows alone. Valid against
 * common/final-report@4; a run with lanes against common/final-report@5.
 */
import { hash } from "@devflow/core/hash";
import { diffAgainst } from "@devflow/harness";
import { redactJson } from "@devflow/redact";
import { z } from "zod";
import type { EngineContext } from "../engine/context.ts";
import { lentFiles } from "../engine/lent-files.ts";
import { namedActor, waiverJson } from "../views/index.ts";

export const reportSchema = "common/final-report@4";
export const reportWithLanesSchema = "common/final-report@5";

export interface FinalReport {
  readonly schema: typeof reportSchema | typeof reportWithLanesSchema;
  readonly runId: string;
  readonly title: string;
  readonly status: string;
  readonly failureReason: string | null;
  readonly template: string;
  readonly templateHash: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string;
  /** The run whose state before a phase this one began with. */
  readonly forkOf: Row | null;
  readonly bindings: readonly Row[];
  readonly inputs: Row;
  readonly phases: readonly Row[];
  /** Only in the report of a run that can have lanes. */
  readonly lanes?: readonly Row[];
  readonly approvals: readonly Row[];
  readonly findings: readonly Row[];
  /** What agents did against the rules on destructive commands. */
  readonly audit: readonly Row[];
  readonly commands: readonly Row[];
  readonly artifacts: readonly Row[];
  readonly commits: readonly Row[];
  readonly diff: { readonly files: number; readonly insertions: number; readonly deletions: number } | null;
  readonly cost: Row;
  readonly events: { readonly count: number; readonly tail: readonly Row[] };
  readonly chain: {
    readonly head: string;
    readonly signature: string | null;
    readonly publicKey: string | null;
    readonly algorithm: "Ed25519";
  };
  readonly unresolved: readonly Row[];
}

type Row = Readonly<Record<string, unknown>>;
const Rows = z.array(z.record(z.string(), z.unknown()));
const Parts = z.object({
  about: z.record(z.string(), z.unknown()),
  inputs: z.record(z.string(), z.unknown()),
  forkOf: z.record(z.string(), z.unknown()).nullable(),
  bindings: Rows,
  phases: Rows,
  lanes: Rows,
  approvals: Rows,
  findings: Rows,
  audit: Rows,
  commands: Rows,
  artifacts: Rows,
  commits: Rows,
  usage: Rows,
  tail: Rows,
});

const tailLength = 50;

export async function composeReport(context: EngineContext, runId: string): Promise<FinalReport> {
  const parts = await readParts(context, runId);
  const { about } = parts;
  const hasLanes = parts.phases.some((phase) => phase.kind === "lanes");
  const report: FinalReport = {
    schema: hasLanes ? reportWithLanesSchema : reportSchema,
    runId,
    title: String(about.title),
    status: String(about.status),
    failureReason: about.failureReason as string | null,
    template: String(about.template),
    templateHash: String(about.templateHash),
    createdAt: String(about.createdAt),
    startedAt: about.startedAt as string | null,
    endedAt: String(about.endedAt),
    forkOf: parts.forkOf,
    bindings: parts.bindings,
    inputs: parts.inputs,
    phases: parts.phases,
    ...(hasLanes ? { lanes: parts.lanes } : {}),
    approvals: parts.approvals,
    findings: parts.findings,
    audit: parts.audit,
    commands: parts.commands,
    artifacts: parts.artifacts,
    commits: parts.commits,
    diff: await diffStats(context, {
      repository: String(about.repository),
      worktree: String(about.worktree),
      baseCommit: String(parts.inputs.baseCommit),
      diffBase: String(about.diffBase),
    }),
    cost: costOf(parts.usage),
    events: { count: Number(about.events), tail: parts.tail },
    chain: {
      head: String(about.chainHead),
      signature: null,
      publicKey: context.signer.publicKey,
      algorithm: "Ed25519",
    },
    unresolved: unresolvedOf(parts),
  };
  return { ...report, chain: { ...report.chain, signature: context.signer.sign(signedText(report)) } };
}

/** What the signature is of: the whole report, and with it the head of the chain. */
export function signedText(report: FinalReport): string {
  return `devflow report ${hash({ ...report, chain: { ...report.chain, signature: null } })}`;
}

async function readParts({ database }: EngineContext, runId: string): Promise<z.infer<typeof Parts>> {
  const [row] = await database.asEngine(
    (tx) => tx`
    select jsonb_build_object(
      'about', (select jsonb_build_object('title', r.title, 'status', r.state, 'failureReason', r.failure_reason,
          'template', t.name || '@' || t.version, 'templateHash', r.template_hash, 'createdAt', app.iso(r.created_at),
          'startedAt', app.iso(r.started_at), 'endedAt', app.iso(r.ended_at), 'worktree', r.worktree_root, 'repository', r.repo_path,
          'diffBase', coalesce(r.lane_base, r.base_commit), 'chainHead', r.chain_head, 'events', r.event_seq)
        from app.runs r join app.workflow_templates t on t.id = r.template_id where r.id = ${runId}),
      'inputs', (select jsonb_build_object('requirementsMd', i.requirements_md,
          -- A mirror of the remote, which only its machine knows by its path.
          'repoPath', coalesce(r.remote, r.repo_path), 'baseBranch', r.base_branch, 'baseCommit', r.base_commit, 'branch', r.branch, 'inputHash', i.input_hash, 'lockedHash', r.locked_hash)
        from app.run_inputs i join app.runs r on r.id = i.run_id where i.run_id = ${runId}),
      'forkOf', (select jsonb_build_object('runId', r.forked_from, 'phase', r.fork_phase, 'commit', r.fork_commit)
        from app.runs r where r.id = ${runId} and r.fork_phase is not null),
      'bindings', (select coalesce(jsonb_agg(jsonb_build_object('role', b.role_id, 'persona', p.name || '@' || p.version,
          'personaHash', b.persona_hash, 'backend', b.backend, 'bindingHash', b.binding_hash, 'override', b.override) order by b.role_id), '[]')
        from app.run_bindings b join app.agent_personas p on p.id = b.persona_id where b.run_id = ${runId}),
      'phases', (select coalesce(jsonb_agg(jsonb_build_object('key', p.phase_key, 'kind', p.kind,
          'title', coalesce((select d ->> 'title' from jsonb_array_elements(t.definition -> 'phases') d where d ->> 'key' = p.phase_key), p.phase_key),
          'state', p.state, 'attempts', p.attempts, 'loops', p.loops, 'reason', p.reason, 'startedAt', app.iso(p.started_at),
          'endedAt', app.iso(p.ended_at)) order by p.seq), '[]')
        from app.run_phases p join app.runs r on r.id = p.run_id join app.workflow_templates t on t.id = r.template_id
        where p.run_id = ${runId}),
      'lanes', (select coalesce(jsonb_agg(jsonb_build_object('lane', k.task_id, 'title', k.title, 'state', k.state,
          'tries', k.tries, 'runId', k.lane_run_id, 'order', k.merge_order, 'commit', k.merge_commit, 'reason', k.reason,
          'usd', u.usd, 'tokens', u.tokens) order by k.seq), '[]')
        from app.run_tasks k cross join lateral (
          select case when count(*) > 0 and count(*) = count(g.cost_usd) then sum(g.cost_usd) end as usd,
            coalesce(sum(g.input_tokens + g.output_tokens), 0) as tokens
          from app.run_usage g join app.runs l on l.id = g.run_id
          where l.parent_run_id = k.run_id and l.root_run_id = k.run_id and l.lane_id = k.task_id) u
        where k.run_id = ${runId}),
      'approvals', (select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'gate', q.gate_key, 'kind', q.kind, 'phase', p.phase_key,
          'state', q.state, 'epoch', q.epoch, 'decision', (select jsonb_build_object('action', d.action, 'comment', d.comment,
            'actor', ${namedActor(tx)}, 'decidedAt', app.iso(d.decided_at)) from app.approval_decisions d where d.approval_request_id = q.id))
          order by q.created_at, q.id), '[]')
        from app.approval_requests q left join app.run_phases p on p.id = q.phase_id where q.run_id = ${runId}),
      'findings', (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'severity', f.severity, 'category', f.category,
          'file', f.file_path, 'line', f.line, 'summary', f.summary, 'evidence', f.evidence,
          'reviewers', array_prepend(f.reviewer_role, f.also_by), 'verifierStatus', f.verifier_status,
          'verifierReason', f.verifier_reason, 'resolved', f.resolved, 'waiver', ${waiverJson(tx)}) order by f.created_at, f.id), '[]')
        from app.review_findings f where f.run_id = ${runId}),
      'audit', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'phase', p.phase_key, 'attempt', d.attempt, 'role', d.role_id,
          'source', d.source, 'outcome', d.outcome, 'severity', d.severity, 'rule', d.rule, 'reason', d.reason, 'detail', d.detail)
          order by array_position(array['high', 'medium', 'low'], d.severity), d.created_at, d.id), '[]')
        from app.audit_findings d left join app.run_phases p on p.id = d.phase_id where d.run_id = ${runId}),
      'commands', (select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'kind', c.kind, 'argv', c.argv, 'phase', p.phase_key,
          'exitCode', c.exit_code, 'failure', c.failure, 'startedAt', app.iso(c.started_at), 'endedAt', app.iso(c.ended_at),
          'stdoutHash', c.stdout_hash, 'stderrHash', c.stderr_hash) order by c.created_at, c.id), '[]')
        from app.commands c left join app.run_phases p on p.id = c.phase_id where c.run_id = ${runId}),
      'artifacts', (select coalesce(jsonb_agg(jsonb_build_object('path', a.path, 'schema', a.schema_id, 'hash', a.hash, 'bytes', a.bytes,
          'valid', a.valid, 'phase', p.phase_key, 'role', a.role_id, 'attempt', a.attempt) order by a.created_at, a.id), '[]')
        from app.artifacts a left join app.run_phases p on p.id = a.phase_id where a.run_id = ${runId} and a.hash ~ '^[0-9a-f]{64}$'),
      'commits', (select coalesce(jsonb_agg(jsonb_build_object('commit', e.payload ->> 'commit', 'phase', e.payload ->> 'phase',
          'attempt', (e.payload ->> 'attempt')::int, 'subject', coalesce(e.payload ->> 'subject', e.payload ->> 'phase')) order by e.seq), '[]')
        from app.run_events e where e.run_id = ${runId} and e.type = 'commit.created'),
      'usage', (select coalesce(jsonb_agg(jsonb_build_object('phase', coalesce(p.phase_key, '-'), 'usd', u.usd, 'inputTokens', u.input,
          'outputTokens', u.output, 'cacheReadTokens', u.cache_read, 'cacheWriteTokens', u.cache_write)), '[]')
        from (select phase_id, sum(cost_usd) as usd, sum(input_tokens) as input, sum(output_tokens) as output,
            sum(cache_read_tokens) as cache_read, sum(cache_write_tokens) as cache_write
          from app.run_usage where run_id = ${runId} group by phase_id) u left join app.run_phases p on p.id = u.phase_id),
      'tail', (select coalesce(jsonb_agg(jsonb_build_object('seq', e.seq, 'type', e.type, 'at', app.iso(e.ts), 'hash', e.hash,
          'payload', e.payload) order by e.seq), '[]')
        from (select * from app.run_events where run_id = ${runId} order by seq desc limit ${tailLength}) e)
    ) as parts`,
  );
  // Rows of earlier versions may hold what is now redacted when it is stored.
  return redactJson(Parts.parse(row?.parts)).value;
}

async function diffStats(
  { env }: EngineContext,
  { worktree, diffBase, ...lender }: Record<"repository" | "worktree" | "baseCommit" | "diffBase", string>,
): Promise<FinalReport["diff"]> {
  try {
    const withheld = await lentFiles(lender, { env });
    const diff = await diffAgainst({ worktree, baseCommit: diffBase, maxBytes: 1, withheld, env });
    return { files: diff.files.length, insertions: diff.added, deletions: diff.removed };
  } catch {
    // A run that failed before its worktree was made has no diff; the report is written anyway.
    return null;
  }
}

function costOf(usage: readonly Row[]): Row {
  const total = (name: string) => usage.reduce((sum, row) => sum + Number(row[name] ?? 0), 0);
  const isKnown = usage.length > 0 && usage.every((row) => row.usd !== null);
  return {
    usd: isKnown ? total("usd") : null,
    inputTokens: total("inputTokens"),
    outputTokens: total("outputTokens"),
    cacheReadTokens: total("cacheReadTokens"),
    cacheWriteTokens: total("cacheWriteTokens"),
    phases: usage,
  };
}

/** What a reader has to know before relying on the run. */
function unresolvedOf({ findings, audit, approvals, phases, commands }: z.infer<typeof Parts>): Row[] {
  return [
    ...findings
      .filter((one) => !one.resolved && one.waiver === null && one.verifierStatus !== "rejected")
      .map((one) => ({ kind: "finding", summary: `${one.severity}: ${one.summary}`, id: String(one.id) })),
    ...audit
      .filter((one) => one.severity === "high" && one.outcome !== "denied")
      .map((one) => ({
        kind: "audit",
        summary: `${one.role ?? "somebody"}: ${one.detail} (${one.rule})`,
        id: String(one.id),
      })),
    ...approvals
      .filter((one) => one.decision === null && one.state === "aborted")
      .map((one) => ({ kind: "approval", summary: `${one.gate} was never decided`, id: String(one.id) })),
    ...phases
      .filter((one) => one.state === "failed")
      .map((one) => ({ kind: "phase", summary: `${one.key}: ${one.reason ?? "failed"}`, id: String(one.key) })),
    ...lastFailing(commands).map((one) => ({
      kind: "command",
      summary: `\`${(one.argv as string[]).join(" ")}\` failed`,
      id: String(one.id),
    })),
  ];
}

/** A command that failed and was not run again successfully. */
function lastFailing(commands: readonly Row[]): Row[] {
  const last = new Map(commands.map((one) => [JSON.stringify(one.argv), one]));
  return [...last.values()].filter((one) => one.exitCode !== 0);
}
