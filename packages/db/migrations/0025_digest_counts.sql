-- The digest lists a part of a busy week, and counts all of it.

alter type api.digest_page
  add attribute run_count int, add attribute suite_count int, add attribute ship_count int, add attribute regression_count int;

create or replace function app.digest_of(team uuid, from_at timestamptz, to_at timestamptz) returns api.digest_page
language sql stable set search_path = ''
begin atomic
  with spans as (
    select from_at as a, to_at as b, from_at - (to_at - from_at) as before
  ), runs as (
    select e.*, e.ran_at >= from_at as is_new from app.eval_runs e, spans s
    where e.team_id = team and e.complete_at is not null and e.ran_at >= s.before and e.ran_at < s.b
  ), all_suites as (
    select r.suite, p.name as repo, count(*) filter (where r.is_new) as runs,
      sum(r.passed) filter (where r.is_new) as passed, sum(r.passed + r.failed) filter (where r.is_new) as results,
      coalesce(sum(r.passed) filter (where not r.is_new), 0) as passed_before,
      coalesce(sum(r.passed + r.failed) filter (where not r.is_new), 0) as results_before
    from runs r left join app.repos p on p.id = r.repo_id
    group by r.suite, p.name having count(*) filter (where r.is_new) > 0
  ), suites as (
    select * from all_suites order by runs desc, suite, repo limit 20
  ), all_ships as (
    select l.version, l.branch, l.pr_url, l.at, u.name as person, p.name as repo
    from app.ship_logs l join app.users u on u.id = l.user_id left join app.repos p on p.id = l.repo_id
    where l.team_id = team and l.at >= from_at and l.at < to_at
  ), ships as (
    select * from all_ships order by at desc limit 50
  ), all_found as (
    select g.suite, g.branch, p.name as repo, g.opened_at, g.closed_at
    from app.regressions g left join app.repos p on p.id = g.repo_id
    where g.team_id = team and g.opened_at < to_at and (g.closed_at is null or g.closed_at >= from_at)
  ), found as (
    select * from all_found order by opened_at limit 50
  )
  select t.name, from_at, to_at, (select count(*)::int from app.team_members m where m.team_id = team),
    coalesce((select jsonb_agg(to_jsonb(s)) from suites s), '[]'),
    coalesce((select sum(r.usd) filter (where r.is_new) from runs r), 0)::float8,
    coalesce((select sum(r.usd) filter (where not r.is_new) from runs r), 0)::float8,
    coalesce((select jsonb_agg(to_jsonb(l)) from ships l), '[]'),
    coalesce((select jsonb_agg(to_jsonb(f)) from found f), '[]'),
    (select count(*)::int from app.qa_reports q where q.team_id = team and q.at >= from_at and q.at < to_at),
    (select avg(q.health_score)::float8 from app.qa_reports q where q.team_id = team and q.at >= from_at and q.at < to_at),
    (select avg(q.health_score)::float8 from app.qa_reports q, spans s
     where q.team_id = team and q.at >= s.before and q.at < from_at),
    (select count(*)::int from app.review_triage v where v.team_id = team and v.day >= from_at::date and v.day < to_at::date),
    (select count(*)::int from app.review_triage v
     where v.team_id = team and v.day >= from_at::date and v.day < to_at::date and v.outcome = 'fp'),
    (select r.payload ->> 'tweetable' from app.retro_snapshots s join app.records r on r.team_id = s.team_id and r.id = s.id
     where s.team_id = team and s.day >= from_at::date and s.day <= to_at::date and r.payload ->> 'tweetable' <> ''
     order by s.day desc, s.id desc limit 1),
    (select count(*)::int from runs r where r.is_new), (select count(*)::int from all_suites),
    (select count(*)::int from all_ships), (select count(*)::int from all_found)
  from app.teams t where t.id = team;
end;
