/**
 * A team with a million eval results, 200,000 edits, 20,000 ships and what belongs to them, over one year; written behind the API, since
 * what is measured is reading.
 *
 * - `fillTeam(sql, team, user)` ten suites of a hundred cases, 10,000 runs; all days but today have come to rest. `sql` is one connection.
 */
import type { Sql } from "@devflow/db";
import { fillEdits } from "../brain/fill-brain.ts";

export async function fillTeam(sql: Sql, team: string, user: string): Promise<void> {
  // Nothing is checked that is known to be right: a million look-ups of a foreign key take longer than everything else.
  await sql`set session_replication_role = replica`;
  await sql`
    insert into app.repos (team_id, name, canonical)
    select ${team}::uuid, 'repo-' || n, 'github.com/acme/repo-' || n from generate_series(1, 3) n`;
  await sql`create temp table made_repos as select id, row_number() over (order by name) - 1 as n from app.repos where team_id = ${team}::uuid`;
  await sql`
    create temp table made_runs as
    select gen_random_uuid() as id, gen_random_uuid() as chunk, n, 'suite-' || n % 10 as suite,
           now() - make_interval(secs => n * 3150) as at, (select r.id from made_repos r where r.n = made.n / 10 % 3) as repo_id
    from generate_series(0, 9999) as made (n)`;
  const run = sql`jsonb_build_object('run', jsonb_build_object('suite', m.suite, 'runId', m.n::text, 'tier', 'standard',
    'gitBranch', 'main', 'totals', jsonb_build_object('total', 100, 'passed', 90, 'failed', 10)))`;
  await sql`
    insert into app.records (team_id, id, kind, schema_version, user_id, repo_id, claimed_at, at, received_at, payload)
    select ${team}::uuid, m.id, 'eval_run', 1, ${user}::uuid, m.repo_id, m.at, m.at, m.at, ${run} from made_runs m
    union all select ${team}::uuid, m.chunk, 'eval_results', 1, ${user}::uuid, m.repo_id, m.at, m.at, m.at, '{}' from made_runs m`;
  await sql`
    insert into app.eval_runs (team_id, id, repo_id, user_id, suite, run_id, label, tier, branch, model, ran_at, total, passed, failed,
                               errors, skipped, duration_ms, usd, complete_at)
    select ${team}::uuid, m.id, m.repo_id, ${user}::uuid, m.suite, m.n::text, 'main', 'standard', 'main', 'model-' || m.n % 3, m.at, 100, 90, 10, 0, 0,
           60000, 0.5, m.at from made_runs m`;
  await sql`insert into app.eval_costs select ${team}::uuid, m.id, 'model-' || m.n % 3, 100, 100000, 10000, 0.5 from made_runs m`;
  await sql`insert into app.eval_chunks select ${team}::uuid, m.id, 0, m.chunk, true, 100 from made_runs m`;
  await sql`
    insert into app.eval_results (team_id, run_id, chunk, place, suite, name, status, scores, duration_ms)
    select ${team}::uuid, m.id, 0, c, m.suite, 'case ' || c, case when (m.n / 10 + c) % 10 = 0 then 'fail' else 'pass' end,
           jsonb_build_object('accuracy', 0.9, 'brevity', 0.4), 600
    from made_runs m cross join generate_series(0, 99) c`;
  await sql`
    create temp table made_ships as
    select gen_random_uuid() as id, n, now() - make_interval(secs => n * 1575) as at,
           (select r.id from made_repos r where r.n = made.n % 3) as repo_id
    from generate_series(0, 19999) as made (n)`;
  await sql`
    insert into app.records (team_id, id, kind, schema_version, user_id, repo_id, claimed_at, at, received_at, payload)
    select ${team}::uuid, m.id, 'ship_log', 1, ${user}::uuid, m.repo_id, m.at, m.at, m.at, jsonb_build_object('version', '1.' || m.n, 'branch', 'main',
      'lead_seconds', 3600 + m.n % 90000, 'commits', 5,
      'fixes', case when m.n % 10 = 0 then jsonb_build_array('1.' || m.n + 3) else '[]' end) from made_ships m`;
  await sql`
    insert into app.ship_logs (team_id, id, repo_id, user_id, at, version, branch, lead_s, commits, fixes)
    select ${team}::uuid, m.id, m.repo_id, ${user}::uuid, m.at, '1.' || m.n, 'main', 3600 + m.n % 90000, 5,
           case when m.n % 10 = 0 then array['1.' || m.n + 3] else '{}' end from made_ships m`;
  await sql`
    with made as (
      insert into app.records (team_id, id, kind, schema_version, user_id, claimed_at, at, received_at, payload)
      select ${team}::uuid, gen_random_uuid(), k.kind, 1, ${user}::uuid, k.at, k.at, k.at, '{}'
      from (select case when n % 2 = 0 then 'qa_report' else 'review_triage' end as kind, now() - make_interval(secs => n * 1575) as at
            from generate_series(0, 19999) n) k
      returning id, kind, at
    ), reports as (
      insert into app.qa_reports (team_id, id, user_id, at, url, mode, health_score, issues)
      select ${team}::uuid, m.id, ${user}::uuid, m.at, 'https://site.example', 'evidence', 80, 1 from made m where m.kind = 'qa_report' returning id
    )
    insert into app.review_triage (team_id, id, user_id, day, reviewer, outcome, file_pattern, category)
    select ${team}::uuid, m.id, ${user}::uuid, m.at::date, 'reviewer', 'fix', '*', 'race' from made m where m.kind = 'review_triage'`;
  await sql`
    with made as (
      insert into app.records (team_id, id, kind, schema_version, user_id, claimed_at, at, received_at, payload)
      select ${team}::uuid, gen_random_uuid(), 'transcript', 1, ${user}::uuid, t.at, t.at, t.at, jsonb_build_object('n', t.n)
      from (select n, now() - make_interval(secs => n * 1575) as at from generate_series(0, 19999) n) t
      returning id, at, payload
    )
    insert into app.transcripts (team_id, id, user_id, session_id, turns, tools, started_at, ended_at, prompts, prompt_chars, edits)
    select ${team}::uuid, m.id, ${user}::uuid, 's' || (m.payload ->> 'n')::int / 2, 3, '{"Edit": 2, "Bash": 5, "Read": 4}', m.at, m.at, 3, 600, 2
    from made m`;
  const [repo] = await sql<{ id: string }[]>`select id from made_repos where n = 0`;
  await fillEdits(sql, { team, user, repo: repo?.id ?? "" }, 200_000);
  await sql`
    insert into app.rollup_dirty (team_id, what, day)
    select distinct ${team}::uuid, 'evals', app.day_of(m.at) from made_runs m`;
  await sql`set session_replication_role = origin`;
  await sql`analyze`;
  await sql`select app.refresh_days(${team}::uuid, app.day_of(now()), 400)`;
  await sql`select app.refresh_edit_days(${team}::uuid, app.day_of(now()), 400)`;
  await sql`vacuum analyze`;
}
