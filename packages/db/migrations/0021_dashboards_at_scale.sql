-- Screens of a team with a million eval results and as many edits: the same answers in less time. The times below are those of the
-- benchmarks team-dashboard (a million results, 200,000 edits) and brain-why (a million edits).

-- From its sixth call on, a connection uses a plan that was made for no window in particular. For a window of 90 days it expects a few
-- rows and goes through tens of thousands one by one: 108 ms instead of 60. Making the plan each time takes less than 5 ms.
alter function api.agent_usage(uuid, text, int) set plan_cache_mode = force_custom_plan;

-- Cases by week ---------------------------------------------------------------------------------------------------------

-- Most suites run every day, so a quarter has as many rows in app.eval_case_days as there are results: 255,000, which take 150 ms to
-- add up. By week there are 39,000. A week, from Monday, is always the sum of its rows in app.eval_case_days, and is read only while none
-- of its days is dirty.
create table app.eval_case_weeks (
  team_id uuid not null references app.teams on delete cascade,
  week date not null,
  repo_id uuid,
  suite text not null,
  name text not null,
  results int not null,
  failed int not null
);
create index eval_case_weeks_by_week on app.eval_case_weeks (team_id, week);

create function app.week_of(day date) returns date
language sql immutable
return day - (extract(isodow from day)::int - 1);

create function app.count_eval_case_weeks(team uuid, weeks date[]) returns setof app.eval_case_weeks
language sql stable
begin atomic
  select team, app.week_of(t.day), t.repo_id, t.suite, t.name, sum(t.results)::int, sum(t.failed)::int
  from app.eval_case_days t
  where t.team_id = team and t.day = any (array(select w + n from unnest(weeks) w cross join generate_series(0, 6) n))
  group by 2, 3, 4, 5;
end;

insert into app.eval_case_weeks (team_id, week, repo_id, suite, name, results, failed)
select t.team_id, app.week_of(t.day), t.repo_id, t.suite, t.name, sum(t.results)::int, sum(t.failed)::int
from app.eval_case_days t group by 1, 2, 3, 4, 5 order by 1, 2;

-- As before (0013), and the weeks of those days.
create or replace function app.refresh_days(team uuid, until date, most int default 31) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  days date[];
  weeks date[];
begin
  if not exists (select from app.rollup_dirty d where d.team_id = team and d.what = 'evals' and d.day < until)
     or not pg_try_advisory_xact_lock(hashtextextended('devflow.rollup:' || team::text, 0)) then
    return 0;
  end if;
  -- The rows that are deleted here were seen before the count begins; what is written later has a row of its own.
  with chosen as (
    select distinct d.day from app.rollup_dirty d
    where d.team_id = team and d.what = 'evals' and d.day < until order by d.day desc limit most
  ), gone as (
    delete from app.rollup_dirty d using chosen
    where d.team_id = team and d.what = 'evals' and d.day = chosen.day returning d.day
  ) select array_agg(distinct gone.day), array_agg(distinct app.week_of(gone.day)) into days, weeks from gone;
  delete from app.eval_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_cost_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_case_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_criterion_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_case_weeks t where t.team_id = team and t.week = any (weeks);
  insert into app.eval_days select * from app.count_eval_days(team, days);
  insert into app.eval_cost_days select * from app.count_eval_cost_days(team, days);
  -- Day by day, so that a reader of a few days reads a few pages also after a large import.
  insert into app.eval_case_days select * from app.count_eval_case_days(team, days) c order by c.day;
  insert into app.eval_criterion_days select * from app.count_eval_criterion_days(team, days);
  insert into app.eval_case_weeks select * from app.count_eval_case_weeks(team, weeks) c order by c.week;
  return coalesce(cardinality(days), 0);
end
$$;

-- As before, but each day is looked up by itself: to join the days with the runs, the planner read all runs of the team, 15 ms each time
-- for those of today.
create or replace function app.eval_runs_on(team uuid, days date[]) returns setof app.eval_runs
language sql stable
begin atomic
  select e.* from unnest(days) d
  cross join lateral (
    select r.* from app.eval_runs r
    where r.team_id = team and r.complete_at is not null
      and r.ran_at >= d::timestamp at time zone 'UTC' and r.ran_at < (d + 1)::timestamp at time zone 'UTC'
    offset 0) e;
end;

-- Divides the clean days into whole weeks and the days beside them.
create function app.clean_weeks(since date, until date, dirty date[], out weeks date[], out days date[])
language sql immutable
begin atomic
  with clean as (
    select since + n as day from generate_series(0, until - since) n where since + n <> all (dirty)
  ), whole as (
    select app.week_of(c.day) as week from clean c group by 1 having count(*) = 7
  )
  select array(select w.week from whole w),
         array(select c.day from clean c where app.week_of(c.day) not in (select w.week from whole w));
end;

-- The cases as they are: whole weeks and days from the tables, dirty days counted now. One statement, so one moment.
drop function app.eval_case_days_of(uuid, date, date, date[]);
create function app.eval_cases_of(team uuid, weeks date[], days date[], dirty date[])
returns table (repo_id uuid, suite text, name text, results int, failed int)
language sql stable
begin atomic
  select t.repo_id, t.suite, t.name, t.results, t.failed from app.eval_case_weeks t
  where t.team_id = team and t.week = any (weeks)
  union all
  select t.repo_id, t.suite, t.name, t.results, t.failed from app.eval_case_days t
  where t.team_id = team and t.day = any (days)
  union all
  select c.repo_id, c.suite, c.name, c.results, c.failed from app.count_eval_case_days(team, dirty) c;
end;

-- The cases that failed most, as many as an interval is worked out for. With a plan for any window the question took 1,040 ms instead of
-- 190. Only this function has its plans made each time: in Postgres 18 the setting also holds for what a function calls, and app.rate,
-- which is called for every case, would be planned 200 times (20 ms).
create function app.failing_cases(team uuid, repo uuid, only_suite text, since date, until date, dirty date[])
returns table (suite text, name text, failed bigint, results bigint)
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  dirty_then date[] := array(select d from unnest(dirty) d where d between since and until);
  clean record;
begin
  select * into clean from app.clean_weeks(since, until, dirty_then);
  return query
    select d.suite, d.name, sum(d.failed), sum(d.results)
    from app.eval_cases_of(team, clean.weeks, clean.days, dirty_then) d
    where (repo is null or d.repo_id = repo) and (only_suite is null or d.suite = only_suite)
    group by 1, 2 having sum(d.failed) > 0
    order by sum(d.failed)::float8 / sum(d.results) - 0.98 / sqrt(sum(d.results)) desc, 1, 2 limit 200;
end
$$;

-- As before, with the cases by week: 29 ms for 90 days.
create or replace function api.eval_struggles(team_id uuid, repo text default null, days int default 30, suite text default null)
returns api.eval_struggle
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.eval_struggle;
begin
  select * into s from app.begin_metrics(eval_struggles.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  select coalesce(jsonb_agg(t.one order by t.rank), '[]') into answer.criteria
  from (
    select jsonb_build_object('suite', c.suite, 'criterion', c.criterion,
        'score', app.mean(c.sum, c.squares, c.results, 0, 1),
        'before', app.mean(c.sum_before, 0, c.results_before, 0, 1) -> 'mean') as one,
      c.sum / c.results as rank
    from (
      select d.suite, d.criterion,
        sum(d.sum) filter (where d.day >= w.since) as sum, sum(d.squares) filter (where d.day >= w.since) as squares,
        sum(d.results) filter (where d.day >= w.since) as results,
        sum(d.sum) filter (where d.day < w.since) as sum_before, sum(d.results) filter (where d.day < w.since) as results_before
      from app.eval_criterion_days_of(eval_struggles.team_id, w.before, w.today, s.dirty) d
      where (s.repo_id is null or d.repo_id = s.repo_id) and (eval_struggles.suite is null or d.suite = eval_struggles.suite)
      group by 1, 2) c
    where c.results > 0 order by 2, c.suite, c.criterion limit 20) t;
  select coalesce(jsonb_agg(jsonb_build_object('suite', t.suite, 'name', t.name, 'failed', t.failed) order by t.place), '[]')
  into answer.cases
  from (
    select f.suite, f.name, f.failed, row_number() over (order by (f.failed ->> 'low')::float8 desc, f.suite, f.name) as place
    from (
      select c.suite, c.name, app.rate(c.failed, c.results) as failed
      from app.failing_cases(eval_struggles.team_id, s.repo_id, eval_struggles.suite, w.since, w.today, s.dirty) c) f
    limit 20) t;
  return answer;
end
$$;

-- Edits by day ----------------------------------------------------------------------------------------------------------

-- Who edited which file on a day, by person and agent: what hot files are made of. Only ids and counts; a row of an edit that was erased
-- belongs to a dirty day, which nobody reads, and erasing recomputes the day (below).
create table app.edit_days (
  team_id uuid not null references app.teams on delete cascade,
  day date not null,
  repo_id uuid not null,
  file_id uuid not null,
  user_id uuid not null,
  agent_id uuid not null,
  edits int not null,
  last_at timestamptz not null
);
create index edit_days_by_day on app.edit_days (team_id, day);

do $$
declare
  name text;
begin
  foreach name in array array['eval_case_weeks', 'edit_days'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy members on app.%I for select to authenticated using (team_id in (select app.my_teams()))', name);
    execute format('create policy engine on app.%I for select to devflow_engine using (true)', name);
    execute format('grant select on app.%I to authenticated, devflow_engine', name);
  end loop;
end
$$;

-- Edits arrive all day long, and in many teams nobody asks for hot files: a day needs a note, and not one per push. A note that is there
-- is locked instead of written again. A recomputation of the day skips locked rows, so the day stays dirty until a later question.
create function app.edit_days_are_dirty() returns trigger
language plpgsql set search_path = ''
as $$
declare
  part record;
begin
  -- A team that is being deleted has no days any more.
  for part in
    select distinct c.team_id as team, app.day_of(c.at) as day from changed c join app.teams t on t.id = c.team_id order by 1, 2
  loop
    perform from app.rollup_dirty d where d.team_id = part.team and d.what = 'edits' and d.day = part.day
    limit 1 for key share skip locked;
    if not found then
      insert into app.rollup_dirty (team_id, what, day) values (part.team, 'edits', part.day);
    end if;
  end loop;
  return null;
end
$$;
create trigger dirty_on_insert after insert on app.edits
  referencing new table as changed for each statement execute function app.edit_days_are_dirty();
create trigger dirty_on_delete after delete on app.edits
  referencing old table as changed for each statement execute function app.edit_days_are_dirty();

insert into app.rollup_dirty (team_id, what, day)
select distinct e.team_id, 'edits', app.day_of(e.at) from app.edits e;

-- The edits of some spans of time, from a moment until before another. Span by span and repository by repository, since that is how the
-- index has them: to join them, the planner read all edits of the team.
create function app.count_edits(team uuid, repos uuid[], since timestamptz[], until timestamptz[])
returns table (repo_id uuid, file_id uuid, user_id uuid, agent_id uuid, edits int, last_at timestamptz)
language sql stable
begin atomic
  select r, c.file_id, c.user_id, c.agent_id, c.edits, c.last_at
  from unnest(repos) r cross join unnest(since, until) s (since, until)
  cross join lateral (
    select e.file_id, e.user_id, e.agent_id, count(*)::int as edits, max(e.at) as last_at
    from app.edits e where e.team_id = team and e.repo_id = r and e.at >= s.since and e.at < s.until
    group by 1, 2, 3) c;
end;

-- Recomputes dirty days before `until`, as app.refresh_days does.
create function app.refresh_edit_days(team uuid, until date, most int default 31) returns int
language plpgsql security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  days date[];
  repos uuid[];
  one date;
begin
  if not exists (select from app.rollup_dirty d where d.team_id = team and d.what = 'edits' and d.day < until)
     or not pg_try_advisory_xact_lock(hashtextextended('devflow.rollup.edits:' || team::text, 0)) then
    return 0;
  end if;
  with chosen as (
    select distinct d.day from app.rollup_dirty d
    where d.team_id = team and d.what = 'edits' and d.day < until order by d.day desc limit most
  ), free as (
    -- A locked note is that of a writer who is not done.
    select d.id from app.rollup_dirty d
    where d.team_id = team and d.what = 'edits' and d.day in (select c.day from chosen c) for update skip locked
  ), gone as (
    delete from app.rollup_dirty d using free where d.id = free.id returning d.day
  ) select array_agg(distinct gone.day) into days from gone;
  repos := array(select r.id from app.repos r where r.team_id = team);
  delete from app.edit_days t where t.team_id = team and t.day = any (days);
  foreach one in array coalesce(days, '{}') loop
    insert into app.edit_days (team_id, day, repo_id, file_id, user_id, agent_id, edits, last_at)
    select team, one, c.repo_id, c.file_id, c.user_id, c.agent_id, c.edits, c.last_at
    from app.count_edits(team, repos, array[one::timestamp at time zone 'UTC'], array[(one + 1)::timestamp at time zone 'UTC']) c;
  end loop;
  return coalesce(cardinality(days), 0);
end
$$;

-- As before (0015), but days that are over and clean come from the table. The first day of the window, which has mostly gone by, today and
-- dirty days are counted: 20 to 60 ms instead of 175, depending on how much of today has gone by. It may recompute days, so it is no
-- longer stable.
create or replace function api.hot_files(team_id uuid, repo text default null, days int default 7, max_rows int default 50)
returns setof jsonb
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = force_custom_plan
as $$
declare
  team uuid := hot_files.team_id;
  begin_at timestamptz := now() - make_interval(days => least(greatest(coalesce(hot_files.days, 7), 1), 365));
  today date := app.day_of(now());
  repos uuid[];
  clean date[];
  since timestamptz[];
  until timestamptz[];
begin
  perform app.require_member(team);
  if current_setting('transaction_read_only') = 'off' then
    perform app.refresh_edit_days(team, today);
  end if;
  repos := array(select r.id from app.repos r where r.team_id = team and (hot_files.repo is null or r.canonical = hot_files.repo));
  select coalesce(array_agg(p.day) filter (where p.is_clean), '{}'),
         coalesce(array_agg(greatest(p.day::timestamp at time zone 'UTC', begin_at + interval '1 microsecond'))
                    filter (where not p.is_clean), '{}'),
         -- A machine's clock may be ahead.
         coalesce(array_agg(case when p.day = today then 'infinity' else (p.day + 1)::timestamp at time zone 'UTC' end)
                    filter (where not p.is_clean), '{}')
  into clean, since, until
  from (
    select d.day, d.day > app.day_of(begin_at) and d.day < today and not exists (
      select from app.rollup_dirty x where x.team_id = team and x.what = 'edits' and x.day = d.day) as is_clean
    from (select app.day_of(begin_at) + n as day from generate_series(0, today - app.day_of(begin_at)) n) d) p;
  return query
    select jsonb_build_object(
      'file', f.path, 'repo', r.canonical, 'edits', h.edits, 'people', h.people, 'agents', h.agents, 'last_at', h.last_at,
      'intents', (select count(distinct x.intent_id) from app.file_intents x where x.file_id = f.id),
      'features', coalesce((select jsonb_agg(distinct t.name) from app.file_features x join app.features t on t.id = x.feature_id
                            where x.file_id = f.id), '[]'))
    from (
      select e.file_id, sum(e.edits) as edits, count(distinct e.user_id) as people, count(distinct e.agent_id) as agents,
             max(e.last_at) as last_at
      from (
        select t.file_id, t.user_id, t.agent_id, t.edits, t.last_at from app.edit_days t
        where t.team_id = team and t.day = any (clean) and t.repo_id = any (repos)
        union all
        select c.file_id, c.user_id, c.agent_id, c.edits, c.last_at from app.count_edits(team, repos, since, until) c) e
      group by e.file_id
      order by count(distinct e.agent_id) desc, sum(e.edits) desc, e.file_id
      limit app.row_limit(hot_files.max_rows, 50)) h
    join app.files f on f.id = h.file_id join app.repos r on r.id = f.repo_id
    order by h.agents desc, h.edits desc, f.path;
end
$$;

-- Erasure ---------------------------------------------------------------------------------------------------------------

-- As before (0014), and days from which something was erased are recomputed at once: a name of a case stays in no table until somebody
-- asks a question. The newest 31 of them, as for every question; the others are dirty, and are read by nobody.
create or replace function app.erase_records(team uuid, wanted uuid[]) returns int
language plpgsql set search_path = ''
as $$
declare
  heads uuid[];
  kinds text[];
  ids uuid[];
  gone int;
begin
  select array_agg(distinct coalesce(c.run_id, w.id)) into heads
  from unnest(wanted) as w (id) left join app.eval_chunks c on c.team_id = team and c.id = w.id;
  -- The lock under which parts of a run arrive, so that none slips in. In the order in which they arrive, so that nobody waits in a
  -- circle.
  perform pg_advisory_xact_lock(hashtextextended('devflow.eval:' || team::text || r.id::text, 0)) from (
    select r.id from app.records r where r.team_id = team and r.id = any (heads) and r.kind = 'eval_run' order by r.id::text) r;
  with gone_now as (
    delete from app.records r
    where r.team_id = team and r.erased_at is null and (r.id = any (heads) or r.id in (
      select c.id from app.eval_chunks c where c.team_id = team and c.run_id = any (heads)))
    returning r.*
  ), kept as (
    insert into app.records (team_id, id, kind, schema_version, hash, user_id, repo_id, claimed_at, at, received_at, expires_at,
                             sanitised, erased_at)
    select g.team_id, g.id, g.kind, g.schema_version, g.hash, g.user_id, g.repo_id, g.claimed_at, g.at, g.received_at,
           g.expires_at, g.sanitised, clock_timestamp()
    from gone_now g
    returning id, kind
  )
  select count(*), coalesce(array_agg(k.kind order by k.id) filter (where k.kind <> 'eval_results'), '{}'),
         coalesce(array_agg(k.id order by k.id) filter (where k.kind <> 'eval_results'), '{}')
  into gone, kinds, ids from kept k;
  delete from app.pings p where p.team_id = team and p.id = any (ids);
  -- Waits for a recomputation that is running, which has not seen this erasure.
  if 'eval_run' = any (kinds) then
    perform pg_advisory_xact_lock(hashtextextended('devflow.rollup:' || team::text, 0));
    perform app.refresh_days(team, app.day_of(now()));
  end if;
  if 'agent_edit' = any (kinds) then
    perform pg_advisory_xact_lock(hashtextextended('devflow.rollup.edits:' || team::text, 0));
    perform app.refresh_edit_days(team, app.day_of(now()));
  end if;
  if cardinality(ids) > 0 then
    perform app.append_change_list(team, kinds, ids, array_fill('delete'::text, array[cardinality(ids)]));
  end if;
  return gone;
end
$$;

-- Grants ----------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
grant execute on function app.refresh_edit_days(uuid, date, int) to devflow_engine;
