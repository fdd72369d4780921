/**
 * This machine's runs as the team's memory knows them.
 *
 * - `brainFacts(database, host, since)` of every run that changed since then: intents, commits and what was left behind; and when the
 *   newest changed.
 * - `presentAgents(database, host)` the sessions that work on a prompt.
 */
import { isTerminalRun, type RunState } from "@devflow/core/enums";
import type { Database } from "@devflow/db";
import type { BrainFact, PresentAgent, RunAgent } from "./run-brain.ts";

export interface BrainFacts {
  readonly facts: readonly BrainFact[];
  readonly newest: Date | undefined;
}

interface Row {
  readonly id: string;
  readonly root_run_id: string;
  readonly title: string;
  readonly state: RunState;
  readonly failure_reason: string | null;
  readonly rev: number;
  readonly repo_path: string;
  readonly branch: string;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
  readonly phase: string | null;
  readonly agent: RunAgent | null;
  readonly phases: readonly { readonly title: string; readonly state: string; readonly attempts: number }[];
  readonly commits: readonly {
    readonly commit: string;
    readonly before: string;
    readonly phase: string;
    readonly at: string;
    readonly agent: RunAgent | null;
  }[];
  readonly open_findings: number;
  readonly summary: string | null;
}

export async function brainFacts(database: Database, host: string, since: Date): Promise<BrainFacts> {
  const rows = await database.asEngine(
    (tx) => tx<Row[]>`
      with changed as (
        select r.*, t.definition from app.runs r join app.workflow_templates t on t.id = r.template_id
        where r.host = ${host} and r.updated_at >= ${since} order by r.updated_at, r.id limit 500
      ), agents as (
        select s.run_id, s.role_id, s.last_prompt_at, jsonb_build_object('session', s.id, 'role', s.role_id,
                 'model', coalesce(b.override ->> 'model', p.definition #>> '{modelConfig,model}')) as agent
        from changed r join app.sessions s on s.run_id = r.id
        left join app.run_bindings b on b.run_id = s.run_id and b.role_id = s.role_id
        left join app.agent_personas p on p.id = b.persona_id
      ), titled as (
        select p.*, coalesce((select d ->> 'title' from jsonb_array_elements(r.definition -> 'phases') d
                              where d ->> 'key' = p.phase_key), p.phase_key) as title
        from changed r join app.run_phases p on p.run_id = r.id
      )
      select r.id, r.root_run_id, r.title, r.state, r.failure_reason, r.event_seq::float8 as rev, r.repo_path, r.branch,
             r.updated_at, r.ended_at,
             (select t.title from titled t where t.id = r.current_phase_id) as phase,
             (select a.agent from agents a where a.run_id = r.id order by a.last_prompt_at desc nulls last, a.role_id limit 1) as agent,
             coalesce((select jsonb_agg(jsonb_build_object('title', t.title, 'state', t.state, 'attempts', t.attempts) order by t.seq)
                       from titled t where t.run_id = r.id and t.state <> 'pending'), '[]') as phases,
             coalesce((
               select jsonb_agg(jsonb_build_object('commit', c.commit, 'before', coalesce(c.before, r.fork_commit, r.base_commit),
                        'phase', t.title, 'at', c.ts, 'agent', (
                          select a.agent from agents a where a.run_id = r.id order by a.role_id is distinct from (
                            select f.role_id from app.artifacts f where f.phase_id = t.id and f.valid order by f.attempt desc limit 1),
                            a.last_prompt_at desc nulls last limit 1)) order by c.seq)
               from (select e.seq, e.ts, e.phase_id, e.payload ->> 'commit' as commit,
                            lag(e.payload ->> 'commit') over (order by e.seq) as before
                     from app.run_events e where e.run_id = r.id and e.type = 'commit.created') c
               join titled t on t.id = c.phase_id), '[]') as commits,
             (select count(*)::int from app.review_findings f
              where f.run_id = r.id and not f.resolved and f.waived_at is null) as open_findings,
             (select f.content::jsonb ->> 'summary' from app.artifacts f
              where f.run_id = r.id and f.valid and f.content is not null order by f.created_at desc limit 1) as summary
      from changed r order by r.updated_at, r.id`,
  );
  return { facts: rows.flatMap(factsOf), newest: rows.at(-1)?.updated_at };
}

function factsOf(row: Row): BrainFact[] {
  const { agent, commits, root_run_id: runId, repo_path: repository, branch, rev, title, phase } = row;
  if (!agent) return [];
  const of = { runId, repository, branch };
  const isOver = isTerminalRun(row.state);
  const made = commits.map(
    (one): BrainFact => ({
      ...{ ...of, is: "commit", agent: one.agent ?? agent, commit: one.commit, before: one.before },
      ...{ asked: `${title}: ${one.phase}`, at: new Date(one.at) },
    }),
  );
  // A lane works for the run that has it.
  if (row.id !== runId) return made;
  const state = !isOver ? "active" : row.state === "completed" ? "shipped" : "abandoned";
  const text = isOver || phase === null ? title : `${title}: ${phase}`;
  return [
    ...made,
    { ...of, is: "intent", agent, rev, text, state },
    ...(isOver
      ? [{ ...of, is: "handoff", agent, text: noteOf(row), at: row.ended_at ?? row.updated_at } satisfies BrainFact]
      : []),
  ];
}

function noteOf({ title, state, failure_reason: reason, phases, open_findings: open, summary, branch }: Row): string {
  const tried = (attempts: number) => (attempts > 1 ? `, ${attempts} attempts` : "");
  return [
    `${title}: ${state}${reason ? ` (${reason})` : ""}.`,
    ...(summary ? [summary] : []),
    `Branch ${branch}. Phases: ${phases.map((one) => `${one.title} (${one.state}${tried(one.attempts)})`).join(", ")}.`,
    ...(open > 0 ? [`Findings left open: ${open}.`] : []),
  ].join("\n");
}

export async function presentAgents(database: Database, host: string): Promise<readonly PresentAgent[]> {
  const rows = await database.asEngine(
    (tx) => tx<{ run_id: string; repo_path: string; branch: string; agent: RunAgent; doing: string }[]>`
      select r.root_run_id as run_id, r.repo_path, r.branch,
             jsonb_build_object('session', s.id, 'role', s.role_id,
               'model', coalesce(b.override ->> 'model', p.definition #>> '{modelConfig,model}')) as agent,
             r.title || coalesce(': ' || (select d ->> 'title' from jsonb_array_elements(t.definition -> 'phases') d
                                          where d ->> 'key' = h.phase_key), '') as doing
      from app.runs r
      join app.sessions s on s.run_id = r.id and s.state in ('BUSY', 'WAITING_FOR_APPROVAL')
      join app.workflow_templates t on t.id = r.template_id
      left join app.run_phases h on h.id = r.current_phase_id
      left join app.run_bindings b on b.run_id = s.run_id and b.role_id = s.role_id
      left join app.agent_personas p on p.id = b.persona_id
      where r.host = ${host} and r.state in ('planning', 'executing')
      order by s.id limit 200`,
  );
  return rows.map(({ run_id: runId, repo_path: repository, branch, agent, doing }) => ({
    ...{ runId, repository, branch, agent, doing },
  }));
}
