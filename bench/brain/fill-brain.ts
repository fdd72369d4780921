/**
 * A team with many decisions or edits, inserted past the records: what is measured is reading.
 *
 * - `fillDecisions(sql, of, corpus)`, `fillEdits(sql, of, amount)`; both end with ANALYZE, as autovacuum would.
 */
import type { Sql } from "@devflow/db";
import type { MadeDecision } from "./corpus.ts";

export interface FilledTeam {
  readonly team: string;
  readonly user: string;
  readonly repo: string;
}

export async function fillDecisions(
  sql: Sql,
  { team, user, repo }: FilledTeam,
  corpus: readonly MadeDecision[],
): Promise<void> {
  for (let from = 0; from < corpus.length; from += 2_000) {
    const rows = corpus.slice(from, from + 2_000).map(({ about: _about, ...one }, n) => ({ ...one, at: from + n }));
    await sql`
      with given as (
        select d.* from jsonb_to_recordset(${sql.json(rows as never)}) as d (id uuid, title text, body text, files jsonb, features jsonb, supersedes uuid, at int)
      ), made as (
        insert into app.decisions (team_id, id, record_id, rev, repo_id, number, user_id, type, title, body, state, supersedes, created_at, updated_at, search)
        select ${team}, d.id, d.id, 1, ${repo}, d.at + 1, ${user}, 'decision', d.title, d.body, 'accepted', d.supersedes,
               now() - interval '1 year' + d.at * interval '1 second', now(), app.decision_document(to_jsonb(d))
        from given d
      ), paths as (
        insert into app.files (team_id, repo_id, path) select distinct ${team}::uuid, ${repo}::uuid, f.value from given d, jsonb_array_elements_text(d.files) f
        on conflict do nothing
      ) select 1`;
    await sql`
      insert into app.decision_files (team_id, decision_id, file_id)
      select ${team}, d.id, f.id from jsonb_to_recordset(${sql.json(rows as never)}) as d (id uuid, files jsonb)
      cross join lateral jsonb_array_elements_text(d.files) p join app.files f on f.repo_id = ${repo} and f.path = p.value
      on conflict do nothing`;
  }
  await sql`analyze app.decisions, app.decision_files, app.files`;
}

export async function fillEdits(sql: Sql, { team, user, repo }: FilledTeam, amount: number): Promise<void> {
  await sql`insert into app.files (team_id, repo_id, path) select ${team}, ${repo}, 'src/file' || n || '.ts' from generate_series(1, 5000) n on conflict do nothing`;
  // Edits refer to their records, which are not read here.
  await sql`alter table app.edits disable trigger all`;
  for (let from = 0; from < amount; from += 100_000) {
    await sql`
      insert into app.edits (team_id, id, repo_id, file_id, user_id, agent_id, at, tool, via, lines, branch, commit, prompt)
      select ${team}, gen_random_uuid(), ${repo}, f.id, ${user}, '11111111-1111-5111-8111-111111111111',
             now() - (n || ' seconds')::interval, 'Edit', 'edit', int4multirange(int4range(n % 500 + 1, n % 500 + 20)), 'main',
             lpad(to_hex(n % 5000), 40, '0'), 'Change something'
      from generate_series(${from + 1}::int, ${from + 100_000}::int) n join app.files f on f.repo_id = ${repo} and f.path = 'src/file' || (n % 5000 + 1) || '.ts'`;
  }
  await sql`alter table app.edits enable trigger all`;
  await sql`
    insert into app.rollup_dirty (team_id, what, day)
    select distinct ${team}::uuid, 'edits', app.day_of(e.at) from app.edits e where e.team_id = ${team}`;
  await sql`analyze app.edits, app.files`;
}
