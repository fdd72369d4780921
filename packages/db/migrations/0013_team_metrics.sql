-- What a team's records add up to: trends, weak spots, velocity, cost, health.
--
-- Days are days of UTC. Eval results are counted per day in day tables, which are recomputed from the rows below them and never
-- incremented. Writing an eval run only notes that its day is dirty; a reader takes the clean days from the tables and counts the
-- dirty ones itself, so a number is right whether or not anybody has recomputed the day. Ships, QA reports and triage are few
-- enough to be counted where they are.
--
-- A pass rate is what passed of what passed or failed: errors and skipped results say nothing about quality.

-- What a ship says about itself, where it says it -----------------------------------------------------------------------

alter table app.ship_logs
  -- Seconds from a commit to its ship, the median of its commits.
  add column lead_s float8 check (lead_s >= 0),
  add column commits int check (commits >= 0),
  -- Versions that this ship repairs or takes back.
  add column fixes text[] not null default '{}';
create index ship_logs_fixing on app.ship_logs (team_id) where fixes <> '{}';

-- Payloads come from files of people: a member of another form says nothing, and is no reason to refuse the ship.
create function app.number_in(value jsonb, most float8) returns float8
language sql immutable
return case when jsonb_typeof(value) = 'number' and (value #>> '{}')::numeric between 0 and most::numeric
            then (value #>> '{}')::float8 end;

create function app.ship_facts() returns trigger
language plpgsql set search_path = ''
as $$
declare
  said jsonb;
begin
  select r.payload into said from app.records r where r.team_id = new.team_id and r.id = new.id;
  new.lead_s := app.number_in(said -> 'lead_seconds', 1e10);
  new.commits := app.number_in(said -> 'commits', 1e6);
  if jsonb_typeof(said -> 'fixes') = 'array' then
    new.fixes := array(select left(v, 200) from jsonb_array_elements_text(said -> 'fixes') v where v is not null limit 20);
  end if;
  return new;
end
$$;
create trigger ship_facts before insert on app.ship_logs for each row execute function app.ship_facts();

update app.ship_logs s set lead_s = app.number_in(r.payload -> 'lead_seconds', 1e10)
from app.records r where r.team_id = s.team_id and r.id = s.id and r.payload ? 'lead_seconds';

-- Day tables ------------------------------------------------------------------------------------------------------------

create table app.eval_days (
  team_id uuid not null references app.teams on delete cascade,
  day date not null,
  repo_id uuid,
  suite text not null,
  tier text not null,
  branch text,
  model text,
  runs int not null,
  -- Passed or failed.
  results bigint not null,
  passed bigint not null,
  failed bigint not null,
  errors bigint not null,
  usd numeric not null,
  duration_ms float8 not null
);
create index eval_days_by_day on app.eval_days (team_id, day);

create table app.eval_cost_days (
  team_id uuid not null references app.teams on delete cascade,
  day date not null,
  repo_id uuid,
  suite text not null,
  model text not null,
  calls bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  usd numeric not null
);
create index eval_cost_days_by_day on app.eval_cost_days (team_id, day);

create table app.eval_case_days (
  team_id uuid not null references app.teams on delete cascade,
  day date not null,
  repo_id uuid,
  suite text not null,
  name text not null,
  results int not null,
  failed int not null
);
create index eval_case_days_by_day on app.eval_case_days (team_id, day);

create table app.eval_criterion_days (
  team_id uuid not null references app.teams on delete cascade,
  day date not null,
  repo_id uuid,
  suite text not null,
  criterion text not null,
  results int not null,
  sum float8 not null,
  squares float8 not null
);
create index eval_criterion_days_by_day on app.eval_criterion_days (team_id, day);

-- Days whose rows have changed. Only ever added to by writers, without a key: a writer whose transaction is still open when the
-- day is recomputed leaves a row that nobody has seen yet, so the day stays dirty.
create table app.rollup_dirty (
  id bigint generated always as identity primary key,
  team_id uuid not null references app.teams on delete cascade,
  what text not null,
  day date not null
);
create index rollup_dirty_of_team on app.rollup_dirty (team_id, what, day);

create index eval_runs_by_time on app.eval_runs (team_id, ran_at desc) where complete_at is not null;
create index usage_of_team on app.run_usage (team_id, at desc);

create function app.day_of(moment timestamptz) returns date
language sql immutable
return (moment at time zone 'UTC')::date;

create function app.eval_days_are_dirty() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- A team that is being deleted has no days any more.
  insert into app.rollup_dirty (team_id, what, day)
  select distinct c.team_id, 'evals', app.day_of(c.ran_at)
  from changed c join app.teams t on t.id = c.team_id
  where c.complete_at is not null;
  return null;
end
$$;
create trigger dirty_on_insert after insert on app.eval_runs
  referencing new table as changed for each statement execute function app.eval_days_are_dirty();
create trigger dirty_on_update after update on app.eval_runs
  referencing new table as changed for each statement execute function app.eval_days_are_dirty();
create trigger dirty_on_delete after delete on app.eval_runs
  referencing old table as changed for each statement execute function app.eval_days_are_dirty();

insert into app.rollup_dirty (team_id, what, day)
select distinct e.team_id, 'evals', app.day_of(e.ran_at) from app.eval_runs e where e.complete_at is not null;

-- The complete runs of some days.
create function app.eval_runs_on(team uuid, days date[]) returns setof app.eval_runs
language sql stable
begin atomic
  select e.* from unnest(days) d
  join app.eval_runs e on e.team_id = team and e.complete_at is not null
    and e.ran_at >= d::timestamp at time zone 'UTC' and e.ran_at < (d + 1)::timestamp at time zone 'UTC';
end;

create function app.count_eval_days(team uuid, days date[]) returns setof app.eval_days
language sql stable
begin atomic
  select team, app.day_of(e.ran_at), e.repo_id, e.suite, e.tier, e.branch, e.model, count(*)::int, sum(e.passed + e.failed),
         sum(e.passed), sum(e.failed), sum(e.errors), sum(e.usd), coalesce(sum(e.duration_ms), 0)
  from app.eval_runs_on(team, days) e
  group by 2, 3, 4, 5, 6, 7;
end;

create function app.count_eval_cost_days(team uuid, days date[]) returns setof app.eval_cost_days
language sql stable
begin atomic
  select team, app.day_of(e.ran_at), e.repo_id, e.suite, c.model, sum(c.calls), sum(c.input_tokens)::bigint,
         sum(c.output_tokens)::bigint, sum(c.usd)
  from app.eval_runs_on(team, days) e join app.eval_costs c on c.team_id = team and c.run_id = e.id
  group by 2, 3, 4, 5;
end;

create function app.count_eval_case_days(team uuid, days date[]) returns setof app.eval_case_days
language sql stable
begin atomic
  select team, app.day_of(e.ran_at), e.repo_id, e.suite, t.name, count(*)::int,
         count(*) filter (where t.status = 'fail')::int
  from app.eval_runs_on(team, days) e join app.eval_results t on t.team_id = team and t.run_id = e.id
  where t.status in ('pass', 'fail')
  group by 2, 3, 4, 5;
end;

create function app.count_eval_criterion_days(team uuid, days date[]) returns setof app.eval_criterion_days
language sql stable
begin atomic
  select team, app.day_of(e.ran_at), e.repo_id, e.suite, s.key, count(*)::int, sum(s.score), sum(s.score * s.score)
  from app.eval_runs_on(team, days) e join app.eval_results t on t.team_id = team and t.run_id = e.id
  cross join lateral (
    select j.key, (j.value #>> '{}')::float8 as score from jsonb_each(t.scores) j where jsonb_typeof(j.value) = 'number') s
  group by 2, 3, 4, 5;
end;

create function app.dirty_days(team uuid, since date, until date) returns date[]
language sql stable
return array(select distinct d.day from app.rollup_dirty d
             where d.team_id = team and d.what = 'evals' and d.day between since and until);

-- Recomputes dirty days before `until`. One at a time per team; whoever comes meanwhile counts the dirty days as a reader does.
create function app.refresh_days(team uuid, until date, most int default 31) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  days date[];
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
  ) select array_agg(distinct gone.day) into days from gone;
  delete from app.eval_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_cost_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_case_days t where t.team_id = team and t.day = any (days);
  delete from app.eval_criterion_days t where t.team_id = team and t.day = any (days);
  insert into app.eval_days select * from app.count_eval_days(team, days);
  insert into app.eval_cost_days select * from app.count_eval_cost_days(team, days);
  insert into app.eval_case_days select * from app.count_eval_case_days(team, days);
  insert into app.eval_criterion_days select * from app.count_eval_criterion_days(team, days);
  return coalesce(cardinality(days), 0);
end
$$;

-- The days as they are: clean ones from the table, dirty ones counted now. One statement, so one moment.
create function app.eval_days_of(team uuid, since date, until date, dirty date[]) returns setof app.eval_days
language sql stable
begin atomic
  select t.* from app.eval_days t
  where t.team_id = team and t.day between since and until and not t.day = any (dirty)
  union all select c.* from app.count_eval_days(team, dirty) c;
end;

create function app.eval_cost_days_of(team uuid, since date, until date, dirty date[]) returns setof app.eval_cost_days
language sql stable
begin atomic
  select t.* from app.eval_cost_days t
  where t.team_id = team and t.day between since and until and not t.day = any (dirty)
  union all select c.* from app.count_eval_cost_days(team, dirty) c;
end;

create function app.eval_case_days_of(team uuid, since date, until date, dirty date[]) returns setof app.eval_case_days
language sql stable
begin atomic
  select t.* from app.eval_case_days t
  where t.team_id = team and t.day between since and until and not t.day = any (dirty)
  union all select c.* from app.count_eval_case_days(team, dirty) c;
end;

create function app.eval_criterion_days_of(team uuid, since date, until date, dirty date[])
returns setof app.eval_criterion_days
language sql stable
begin atomic
  select t.* from app.eval_criterion_days t
  where t.team_id = team and t.day between since and until and not t.day = any (dirty)
  union all select c.* from app.count_eval_criterion_days(team, dirty) c;
end;

-- Who is named on the leaderboard: only people who asked for it --------------------------------------------------------

create table app.leaderboard_members (
  team_id uuid not null,
  user_id uuid not null,
  joined_at timestamptz not null default now(),
  primary key (team_id, user_id),
  -- Leaving the team leaves the board.
  foreign key (team_id, user_id) references app.team_members on delete cascade
);

do $$
declare
  name text;
begin
  foreach name in array array[
    'eval_days', 'eval_cost_days', 'eval_case_days', 'eval_criterion_days', 'rollup_dirty', 'leaderboard_members'
  ] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy members on app.%I for select to authenticated using (team_id in (select app.my_teams()))', name);
    execute format('create policy engine on app.%I for select to devflow_engine using (true)', name);
    execute format('grant select on app.%I to authenticated, devflow_engine', name);
  end loop;
end
$$;

-- Small arithmetic ------------------------------------------------------------------------------------------------------

-- A rate with its 95 % interval (Wilson), which stays within 0 and 1 also for few tries.
create function app.rate(hits numeric, tries numeric) returns jsonb
language sql immutable
begin atomic
  select case when coalesce(tries, 0) <= 0
    then jsonb_build_object('hits', 0, 'of', 0, 'rate', null, 'low', 0, 'high', 1)
    else jsonb_build_object('hits', coalesce(hits, 0), 'of', tries, 'rate', round((w.p)::numeric, 6),
      'low', round(greatest(0, (w.p + w.z2 / (2 * w.n) - w.half) / (1 + w.z2 / w.n))::numeric, 6),
      'high', round(least(1, (w.p + w.z2 / (2 * w.n) + w.half) / (1 + w.z2 / w.n))::numeric, 6)) end
  from (select v.p, v.n, v.z2, sqrt(v.z2) * sqrt(v.p * (1 - v.p) / v.n + v.z2 / (4 * v.n * v.n)) as half
        from (select coalesce(hits, 0)::float8 / nullif(tries, 0)::float8 as p, tries::float8 as n, 3.841459::float8 as z2) v) w;
end;

-- A mean with its 95 % interval (normal), kept within its scale.
create function app.mean(total float8, squares float8, amount bigint, least_value float8, most_value float8) returns jsonb
language sql immutable
begin atomic
  select case when coalesce(amount, 0) = 0
    then jsonb_build_object('of', 0, 'mean', null, 'low', least_value, 'high', most_value)
    else jsonb_build_object('of', amount, 'mean', round(m.mean::numeric, 4),
      'low', round(greatest(least_value, m.mean - m.half)::numeric, 4),
      'high', round(least(most_value, m.mean + m.half)::numeric, 4)) end
  from (select total / nullif(amount, 0) as mean,
               case when amount < 2 then most_value - least_value
                    else 1.959964 * sqrt(greatest(0, (squares - total * total / amount) / (amount - 1)) / amount) end as half) m;
end;

-- A median with its 95 % interval (order statistics) and the ninetieth percentile.
create function app.median(given float8[]) returns jsonb
language sql immutable
begin atomic
  select jsonb_build_object('of', s.n,
    'median', case when s.n > 0 then round(((s.v[(s.n + 1) / 2] + s.v[s.n / 2 + 1]) / 2)::numeric, 3) end,
    'low', case when s.n > 0 then round((s.v[greatest(1, floor(s.n / 2.0 - 0.98 * sqrt(s.n))::int)])::numeric, 3) end,
    'high', case when s.n > 0 then round((s.v[least(s.n, ceil(s.n / 2.0 + 1 + 0.98 * sqrt(s.n))::int)])::numeric, 3) end,
    'p90', case when s.n > 0 then round((s.v[ceil(s.n * 0.9)::int])::numeric, 3) end)
  from (select coalesce(array_agg(x order by x), '{}') as v, count(*)::int as n from unnest(given) x where x is not null) s;
end;

create type app.metric_window as (since date, before date, today date, unit text);

-- The last `days` days, today included, and as many before them. Beyond a month it is whole weeks, each beginning on Monday.
create function app.metric_window(days int) returns app.metric_window
language plpgsql stable set search_path = ''
as $$
declare
  answer app.metric_window;
begin
  if days is null or days not between 1 and 366 then
    raise invalid_parameter_value using message = 'days is a number from 1 to 366';
  end if;
  answer.today := app.day_of(now());
  answer.unit := case when days <= 31 then 'day' else 'week' end;
  answer.since := answer.today - days + 1;
  if answer.unit = 'week' then
    answer.since := date_trunc('week', answer.since::timestamp)::date;
  end if;
  answer.before := answer.since - (answer.today - answer.since + 1);
  return answer;
end
$$;

create function app.step_of(day date, unit text) returns date
language sql immutable
return case when unit = 'week' then date_trunc('week', day::timestamp)::date else day end;

create function app.steps_of(w app.metric_window) returns setof date
language sql stable
begin atomic
  select s::date from generate_series(w.since::timestamp, w.today::timestamp, ('1 ' || w.unit)::interval) s;
end;

-- A repository by its id, name or canonical remote.
create function app.repo_named(team uuid, given text) returns uuid
language plpgsql stable set search_path = ''
as $$
declare
  found_id uuid;
begin
  if coalesce(given, '') = '' then
    return null;
  end if;
  select r.id into found_id from app.repos r
  where r.team_id = team and (r.name = given or r.canonical = given or r.id::text = lower(given))
  order by r.name = given desc limit 1;
  if found_id is null then
    raise sqlstate 'PT404' using message = format('the team has no repository "%s"', left(given, 200)),
      hint = 'List them: devflow sync status';
  end if;
  return found_id;
end
$$;

-- Opens every question about a team: who asks, which repository, which days. Days that have come to rest are recomputed here;
-- today changes with every push and is counted by each reader.
create function app.begin_metrics(team uuid, repo text, days int, out repo_id uuid, out w app.metric_window, out dirty date[])
language plpgsql set search_path = ''
as $$
begin
  perform app.require_team(team);
  repo_id := app.repo_named(team, repo);
  w := app.metric_window(days);
  if current_setting('transaction_read_only') = 'off' then
    perform app.refresh_days(team, w.today);
  end if;
  dirty := app.dirty_days(team, w.before, w.today);
end
$$;

-- The data plane --------------------------------------------------------------------------------------------------------

create type api.team_pulse as (
  since date, unit text, members int, active int, ships jsonb, eval_runs jsonb, pass jsonb, usd jsonb, qa jsonb,
  false_alarms jsonb, last_ship jsonb, points jsonb, repos jsonb, hot_spots jsonb);

-- The team at a glance; every number with the one of the period before.
create function api.team_overview(team_id uuid, repo text default null, days int default 7) returns api.team_pulse
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.team_pulse;
begin
  select * into s from app.begin_metrics(team_overview.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.unit := w.unit;
  select count(*) into answer.members from app.team_members m where m.team_id = team_overview.team_id;
  select count(distinct r.user_id) into answer.active from app.records r
  where r.team_id = team_overview.team_id and r.erased_at is null and r.at >= w.since::timestamp at time zone 'UTC'
    and r.kind in ('eval_run', 'retro_snapshot', 'review_triage', 'qa_report', 'ship_log', 'run_progress')
    and (s.repo_id is null or r.repo_id = s.repo_id);

  with ships as (
    select l.repo_id, app.day_of(l.at) as day from app.ship_logs l
    where l.team_id = team_overview.team_id and l.at >= w.before::timestamp at time zone 'UTC'
      and (s.repo_id is null or l.repo_id = s.repo_id)
  ), evals as (
    select * from app.eval_days_of(team_overview.team_id, w.before, w.today, s.dirty) e
    where s.repo_id is null or e.repo_id = s.repo_id
  ), points as (
    select jsonb_agg(jsonb_build_object(
        'at', p.at, 'ships', (select count(*) from ships h where app.step_of(h.day, w.unit) = p.at),
        'eval_runs', e.runs, 'pass', app.rate(e.passed, e.results), 'usd', e.usd) order by p.at) as list
    from app.steps_of(w) p (at)
    cross join lateral (
      select coalesce(sum(e.runs), 0) as runs, sum(e.passed) as passed, sum(e.results) as results, coalesce(sum(e.usd), 0) as usd
      from evals e where app.step_of(e.day, w.unit) = p.at) e
  ), repos as (
    select jsonb_agg(jsonb_build_object(
        'id', p.id, 'name', p.name, 'ships', h.amount, 'eval_runs', e.runs, 'pass', app.rate(e.passed, e.results), 'usd', e.usd)
        order by h.amount + e.runs desc, p.name) as list
    from app.repos p
    cross join lateral (select count(*) as amount from ships h where h.repo_id = p.id and h.day >= w.since) h
    cross join lateral (
      select coalesce(sum(e.runs), 0) as runs, sum(e.passed) as passed, sum(e.results) as results, coalesce(sum(e.usd), 0) as usd
      from evals e where e.repo_id = p.id and e.day >= w.since) e
    where p.team_id = team_overview.team_id and h.amount + e.runs > 0 and (s.repo_id is null or p.id = s.repo_id)
  )
  select
    (select jsonb_build_object('now', count(*) filter (where h.day >= w.since), 'before', count(*) filter (where h.day < w.since))
     from ships h),
    e.runs, e.pass, e.usd, (select p.list from points p), coalesce((select r.list from repos r), '[]')
  into answer.ships, answer.eval_runs, answer.pass, answer.usd, answer.points, answer.repos
  from (
    select
      jsonb_build_object('now', coalesce(sum(e.runs) filter (where e.day >= w.since), 0),
                         'before', coalesce(sum(e.runs) filter (where e.day < w.since), 0)) as runs,
      jsonb_build_object(
        'now', app.rate(sum(e.passed) filter (where e.day >= w.since), sum(e.results) filter (where e.day >= w.since)),
        'before', app.rate(sum(e.passed) filter (where e.day < w.since), sum(e.results) filter (where e.day < w.since))) as pass,
      jsonb_build_object('now', coalesce(sum(e.usd) filter (where e.day >= w.since), 0),
                         'before', coalesce(sum(e.usd) filter (where e.day < w.since), 0)) as usd
    from evals e) e;

  answer.qa := app.qa_scores(team_overview.team_id, s.repo_id, w);
  answer.false_alarms := app.false_alarms(team_overview.team_id, s.repo_id, w);
  select jsonb_build_object('id', l.id, 'at', l.at, 'version', l.version, 'repo', p.name, 'by', u.name) into answer.last_ship
  from app.ship_logs l left join app.repos p on p.id = l.repo_id left join app.users u on u.id = l.user_id
  where l.team_id = team_overview.team_id and (s.repo_id is null or l.repo_id = s.repo_id)
  order by l.at desc, l.id desc limit 1;
  -- From the newest retro of each repository. Payloads are of people: what has another form is left out.
  select coalesce(jsonb_agg(jsonb_build_object('repo', t.repo, 'path', t.path, 'commits', t.commits)
                            order by t.commits desc, t.path), '[]') into answer.hot_spots
  from (
    select p.name as repo, left(f.one ->> 'path', 300) as path, app.number_in(f.one -> 'commits', 1e7) as commits
    from (
      select distinct on (x.repo_id) x.repo_id, x.id from app.retro_snapshots x
      where x.team_id = team_overview.team_id and x.day >= w.since - 30 and (s.repo_id is null or x.repo_id = s.repo_id)
      order by x.repo_id, x.day desc, x.id desc) x
    join app.records r on r.team_id = team_overview.team_id and r.id = x.id
    left join app.repos p on p.id = x.repo_id
    cross join lateral jsonb_array_elements(
      case when jsonb_typeof(r.payload #> '{metrics,hot_spots}') = 'array' then r.payload #> '{metrics,hot_spots}' else '[]' end)
      as f (one)
    where app.number_in(f.one -> 'commits', 1e7) is not null and f.one ->> 'path' is not null
    order by 3 desc, 2 limit 8) t;
  return answer;
end
$$;

create function app.qa_scores(team uuid, repo uuid, w app.metric_window) returns jsonb
language sql stable
begin atomic
  select jsonb_build_object('reports', count(*) filter (where t.is_now),
    'now', app.mean(sum(t.score) filter (where t.is_now), sum(t.score * t.score) filter (where t.is_now),
                    count(t.score) filter (where t.is_now), 0, 100),
    'before', app.mean(sum(t.score) filter (where not t.is_now), sum(t.score * t.score) filter (where not t.is_now),
                       count(t.score) filter (where not t.is_now), 0, 100))
  from (
    select q.health_score::float8 as score, app.day_of(q.at) >= w.since as is_now from app.qa_reports q
    where q.team_id = team and q.at >= w.before::timestamp at time zone 'UTC' and (repo is null or q.repo_id = repo)) t;
end;

create function app.false_alarms(team uuid, repo uuid, w app.metric_window) returns jsonb
language sql stable
begin atomic
  select jsonb_build_object(
    'now', app.rate(count(*) filter (where t.outcome = 'fp' and t.day >= w.since), count(*) filter (where t.day >= w.since)),
    'before', app.rate(count(*) filter (where t.outcome = 'fp' and t.day < w.since), count(*) filter (where t.day < w.since)))
  from app.review_triage t
  where t.team_id = team and t.day between w.before and w.today and (repo is null or t.repo_id = repo);
end;

create type api.eval_trends as (since date, unit text, suites jsonb, branches jsonb, models jsonb);

-- Pass rates of every suite and tier over time.
create function api.eval_trend(
  team_id uuid, repo text default null, days int default 90, suite text default null, branch text default null,
  model text default null
) returns api.eval_trends
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.eval_trends;
begin
  select * into s from app.begin_metrics(eval_trend.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.unit := w.unit;
  with evals as materialized (
    select * from app.eval_days_of(eval_trend.team_id, w.before, w.today, s.dirty) e
    where (s.repo_id is null or e.repo_id = s.repo_id)
  ), chosen as materialized (
    select * from evals e
    where (eval_trend.suite is null or e.suite = eval_trend.suite)
      and (eval_trend.branch is null or e.branch = eval_trend.branch)
      and (eval_trend.model is null or e.model = eval_trend.model)
  ), suites as (
    select c.suite, c.tier,
      sum(c.runs) filter (where c.day >= w.since) as runs, sum(c.results) filter (where c.day >= w.since) as results,
      sum(c.passed) filter (where c.day >= w.since) as passed, sum(c.usd) filter (where c.day >= w.since) as usd,
      sum(c.results) filter (where c.day < w.since) as results_before,
      sum(c.passed) filter (where c.day < w.since) as passed_before
    from chosen c group by c.suite, c.tier
  ), steps as (
    select c.suite, c.tier, app.step_of(c.day, w.unit) as at, sum(c.runs) as runs, sum(c.passed) as passed,
           sum(c.results) as results
    from chosen c where c.day >= w.since group by 1, 2, 3
  ), points as (
    select t.suite, t.tier,
      jsonb_agg(jsonb_build_object('at', t.at, 'runs', t.runs, 'pass', app.rate(t.passed, t.results)) order by t.at) as list
    from steps t group by 1, 2
  )
  select
    coalesce((
      select jsonb_agg(jsonb_build_object('suite', t.suite, 'tier', t.tier, 'runs', t.runs,
          'pass', app.rate(t.passed, t.results), 'before', app.rate(t.passed_before, t.results_before), 'usd', t.usd,
          'points', p.list) order by t.runs desc, t.suite, t.tier)
      from (select * from suites t where t.runs > 0 order by t.runs desc, t.suite, t.tier limit 50) t
      join points p on p.suite = t.suite and p.tier = t.tier), '[]'),
    coalesce((select jsonb_agg(b.branch order by b.branch) from (
      select e.branch from evals e where e.branch is not null group by 1 order by sum(e.runs) desc limit 50) b), '[]'),
    coalesce((select jsonb_agg(m.model order by m.model) from (
      select e.model from evals e where e.model is not null group by 1 order by sum(e.runs) desc limit 50) m), '[]')
  into answer.suites, answer.branches, answer.models;
  return answer;
end
$$;

create type api.eval_struggle as (since date, criteria jsonb, cases jsonb);

-- What evals fail at: the weakest criteria by their mean, the weakest cases by the least failure rate that the data supports.
create function api.eval_struggles(team_id uuid, repo text default null, days int default 30, suite text default null)
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
      from (
        select d.suite, d.name, sum(d.failed) as failed, sum(d.results) as results
        from app.eval_case_days_of(eval_struggles.team_id, w.since, w.today, s.dirty) d
        where d.day >= w.since and (s.repo_id is null or d.repo_id = s.repo_id)
          and (eval_struggles.suite is null or d.suite = eval_struggles.suite)
        group by 1, 2 having sum(d.failed) > 0
        -- The interval is worked out for these only.
        order by sum(d.failed)::float8 / sum(d.results) - 0.98 / sqrt(sum(d.results)) desc, 1, 2 limit 200) c) f
    limit 20) t;
  return answer;
end
$$;

create type api.team_velocity as (
  since date, unit text, ships jsonb, lead_hours jsonb, change_fail jsonb, rework jsonb, restore_hours jsonb, points jsonb,
  repos jsonb);

-- Ships, the time from commit to ship, and how many of them had to be repaired.
create function api.velocity(team_id uuid, repo text default null, days int default 90) returns api.team_velocity
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.team_velocity;
begin
  select * into s from app.begin_metrics(velocity.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.unit := w.unit;
  with fixed as (
    -- The first later ship of the same repository that names the version.
    select l.repo_id, v.version, min(l.at) as at from app.ship_logs l cross join lateral unnest(l.fixes) v (version)
    where l.team_id = velocity.team_id and l.fixes <> '{}' and (s.repo_id is null or l.repo_id = s.repo_id)
    group by 1, 2
  ), ships as materialized (
    select l.id, l.repo_id, app.day_of(l.at) as day, l.lead_s / 3600 as lead, l.fixes <> '{}' as is_fix,
           extract(epoch from f.at - l.at) / 3600 as restored
    from app.ship_logs l
    left join fixed f on f.version = l.version and f.repo_id is not distinct from l.repo_id and f.at > l.at
    where l.team_id = velocity.team_id and l.at >= w.before::timestamp at time zone 'UTC'
      and (s.repo_id is null or l.repo_id = s.repo_id)
  ), steps as (
    select app.step_of(h.day, w.unit) as at, count(*) as ships, array_agg(h.lead) as leads,
           count(h.restored) as failed, count(*) filter (where h.is_fix) as fixes
    from ships h where h.day >= w.since group by 1
  ), repos as (
    select h.repo_id, count(*) as ships, array_agg(h.lead) as leads, count(h.restored) as failed,
           count(*) filter (where h.is_fix) as fixes
    from ships h where h.day >= w.since group by 1
  )
  select
    jsonb_build_object('now', count(*) filter (where h.day >= w.since), 'before', count(*) filter (where h.day < w.since)),
    jsonb_build_object('now', app.median(array_agg(h.lead) filter (where h.day >= w.since)),
                       'before', app.median(array_agg(h.lead) filter (where h.day < w.since))),
    jsonb_build_object('now', app.rate(count(h.restored) filter (where h.day >= w.since), count(*) filter (where h.day >= w.since)),
                       'before', app.rate(count(h.restored) filter (where h.day < w.since), count(*) filter (where h.day < w.since))),
    jsonb_build_object('now', app.rate(count(*) filter (where h.is_fix and h.day >= w.since), count(*) filter (where h.day >= w.since)),
                       'before', app.rate(count(*) filter (where h.is_fix and h.day < w.since), count(*) filter (where h.day < w.since))),
    jsonb_build_object('now', app.median(array_agg(h.restored::float8) filter (where h.day >= w.since)),
                       'before', app.median(array_agg(h.restored::float8) filter (where h.day < w.since))),
    (select jsonb_agg(jsonb_build_object('at', p.at, 'ships', coalesce(t.ships, 0), 'lead_hours', app.median(t.leads),
        'change_fail', app.rate(t.failed, t.ships), 'fixes', coalesce(t.fixes, 0)) order by p.at)
     from app.steps_of(w) p (at) left join steps t on t.at = p.at),
    coalesce((select jsonb_agg(jsonb_build_object('id', t.repo_id, 'name', p.name, 'ships', t.ships, 'lead_hours', app.median(t.leads),
        'change_fail', app.rate(t.failed, t.ships), 'rework', app.rate(t.fixes, t.ships)) order by t.ships desc, p.name)
     from repos t left join app.repos p on p.id = t.repo_id), '[]')
  into answer.ships, answer.lead_hours, answer.change_fail, answer.rework, answer.restore_hours, answer.points, answer.repos
  from ships h;
  return answer;
end
$$;

create type api.team_costs as (
  since date, unit text, evals jsonb, agents jsonb, per_ship jsonb, points jsonb, models jsonb, suites jsonb);

-- What evals and agents cost. What agents cost is known of runs on this server, and of no single repository.
create function api.costs(team_id uuid, repo text default null, days int default 30) returns api.team_costs
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.team_costs;
  shipped record;
  agents record;
begin
  select * into s from app.begin_metrics(costs.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.unit := w.unit;
  select count(*) filter (where app.day_of(l.at) >= w.since) as now, count(*) filter (where app.day_of(l.at) < w.since) as before
  into shipped from app.ship_logs l
  where l.team_id = costs.team_id and l.at >= w.before::timestamp at time zone 'UTC'
    and (s.repo_id is null or l.repo_id = s.repo_id);
  select coalesce(sum(u.cost_usd) filter (where app.day_of(u.at) >= w.since), 0) as now,
         coalesce(sum(u.cost_usd) filter (where app.day_of(u.at) < w.since), 0) as before
  into agents from app.run_usage u
  where s.repo_id is null and u.team_id = costs.team_id and u.at >= w.before::timestamp at time zone 'UTC';
  answer.agents := case when s.repo_id is null then to_jsonb(agents) end;
  with evals as materialized (
    select * from app.eval_days_of(costs.team_id, w.before, w.today, s.dirty) e
    where s.repo_id is null or e.repo_id = s.repo_id
  ), steps as (
    select app.step_of(e.day, w.unit) as at, sum(e.usd) as usd, sum(e.runs) as runs
    from evals e where e.day >= w.since group by 1
  ), suites as (
    select e.suite, sum(e.runs) filter (where e.day >= w.since) as runs, sum(e.results) filter (where e.day >= w.since) as results,
      coalesce(sum(e.usd) filter (where e.day >= w.since), 0) as usd, coalesce(sum(e.usd) filter (where e.day < w.since), 0) as before
    from evals e group by 1
  )
  select
    (select jsonb_build_object('now', coalesce(sum(e.usd) filter (where e.day >= w.since), 0),
                               'before', coalesce(sum(e.usd) filter (where e.day < w.since), 0)) from evals e),
    (select jsonb_agg(jsonb_build_object('at', p.at, 'usd', coalesce(t.usd, 0), 'runs', coalesce(t.runs, 0)) order by p.at)
     from app.steps_of(w) p (at) left join steps t on t.at = p.at),
    coalesce((select jsonb_agg(to_jsonb(t) order by t.usd desc, t.suite) from (
      select * from suites t where t.runs > 0 order by t.usd desc, t.suite limit 30) t), '[]')
  into answer.evals, answer.points, answer.suites;
  select coalesce(jsonb_agg(to_jsonb(t) order by t.usd desc, t.model), '[]') into answer.models
  from (
    select c.model, sum(c.calls) as calls, sum(c.input_tokens) as input_tokens, sum(c.output_tokens) as output_tokens,
           sum(c.usd) as usd
    from app.eval_cost_days_of(costs.team_id, w.since, w.today, s.dirty) c
    where c.day >= w.since and (s.repo_id is null or c.repo_id = s.repo_id)
    group by 1 order by 5 desc, 1 limit 30) t;
  answer.per_ship := jsonb_build_object(
    'now', round(((answer.evals ->> 'now')::numeric + coalesce(agents.now, 0)) / nullif(shipped.now, 0), 6),
    'before', round(((answer.evals ->> 'before')::numeric + coalesce(agents.before, 0)) / nullif(shipped.before, 0), 6));
  return answer;
end
$$;

create type api.team_qa as (since date, unit text, score jsonb, points jsonb, sites jsonb);

-- Health scores of QA reports, by time and by site.
create function api.qa_health(team_id uuid, repo text default null, days int default 90) returns api.team_qa
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.team_qa;
begin
  select * into s from app.begin_metrics(qa_health.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.unit := w.unit;
  answer.score := app.qa_scores(qa_health.team_id, s.repo_id, w);
  with reports as materialized (
    select q.id, q.at, app.day_of(q.at) as day, q.url, q.health_score::float8 as score, q.issues from app.qa_reports q
    where q.team_id = qa_health.team_id and q.at >= w.since::timestamp at time zone 'UTC'
      and (s.repo_id is null or q.repo_id = s.repo_id)
  ), steps as (
    select app.step_of(r.day, w.unit) as at, count(*) as reports, sum(r.issues) as issues, sum(r.score) as sum,
           sum(r.score * r.score) as squares, count(r.score) as amount
    from reports r group by 1
  ), sites as (
    select r.url, count(*) as reports, (array_agg(r.id order by r.at desc, r.id desc))[1] as id, max(r.at) as at,
      (array_agg(r.score order by r.at desc, r.id desc))[1] as score, (array_agg(r.score order by r.at desc, r.id desc))[2] as before,
      (array_agg(r.issues order by r.at desc, r.id desc))[1] as issues
    from reports r group by 1 order by max(r.at) desc limit 50
  )
  select
    (select jsonb_agg(jsonb_build_object('at', p.at, 'reports', coalesce(t.reports, 0), 'issues', coalesce(t.issues, 0),
        'score', app.mean(t.sum, t.squares, coalesce(t.amount, 0), 0, 100)) order by p.at)
     from app.steps_of(w) p (at) left join steps t on t.at = p.at),
    coalesce((select jsonb_agg(to_jsonb(t) order by t.score nulls last, t.url) from sites t), '[]')
  into answer.points, answer.sites;
  return answer;
end
$$;

create type api.team_review as (since date, unit text, false_alarms jsonb, points jsonb, categories jsonb, reviewers jsonb);

-- How much of what reviewers find is worth fixing.
create function api.review_signal(team_id uuid, repo text default null, days int default 90) returns api.team_review
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.team_review;
begin
  select * into s from app.begin_metrics(review_signal.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.unit := w.unit;
  answer.false_alarms := app.false_alarms(review_signal.team_id, s.repo_id, w);
  with found as materialized (
    select t.day, t.category, t.reviewer, t.outcome from app.review_triage t
    where t.team_id = review_signal.team_id and t.day between w.since and w.today and (s.repo_id is null or t.repo_id = s.repo_id)
  ), steps as (
    select app.step_of(f.day, w.unit) as at, count(*) as amount, count(*) filter (where f.outcome = 'fp') as fp from found f group by 1
  ), sides as (
    select case when grouping(f.category) = 0 then 'category' else 'reviewer' end as side, coalesce(f.category, f.reviewer) as name,
      count(*) as amount, count(*) filter (where f.outcome = 'fp') as fp, count(*) filter (where f.outcome = 'fix') as fixed,
      count(*) filter (where f.outcome = 'already-fixed') as already
    from found f group by grouping sets ((f.category), (f.reviewer))
  ), listed as (
    select t.side, jsonb_agg(jsonb_build_object('name', t.name, 'findings', t.amount, 'fixed', t.fixed, 'already_fixed', t.already,
        'false_alarms', app.rate(t.fp, t.amount)) order by t.amount desc, t.name) as list
    from (select *, row_number() over (partition by side order by amount desc, name) as place from sides) t
    where t.place <= 40 group by 1
  )
  select
    (select jsonb_agg(jsonb_build_object('at', p.at, 'false_alarms', app.rate(t.fp, t.amount)) order by p.at)
     from app.steps_of(w) p (at) left join steps t on t.at = p.at),
    coalesce((select l.list from listed l where l.side = 'category'), '[]'),
    coalesce((select l.list from listed l where l.side = 'reviewer'), '[]')
  into answer.points, answer.categories, answer.reviewers;
  return answer;
end
$$;

create type api.team_leaderboard as (since date, joined boolean, totals jsonb, people jsonb, others int);

-- Totals of the team, and the numbers of those members who asked to be named.
create function api.leaderboard(team_id uuid, repo text default null, days int default 7) returns api.team_leaderboard
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  answer api.team_leaderboard;
begin
  select * into s from app.begin_metrics(leaderboard.team_id, repo, days);
  w := s.w;
  answer.since := w.since;
  answer.joined := exists (
    select from app.leaderboard_members b where b.team_id = leaderboard.team_id and b.user_id = auth.uid());
  with runs as (
    select e.user_id, e.ran_at, e.usd, e.passed, e.passed + e.failed as results, e.failed as failing,
      lag(e.failed) over o as one_before, lag(e.failed, 2) over o as two_before
    from app.eval_runs e
    where e.team_id = leaderboard.team_id and e.complete_at is not null and (s.repo_id is null or e.repo_id = s.repo_id)
      and e.ran_at >= w.before::timestamp at time zone 'UTC'
    window o as (partition by e.repo_id, e.suite, e.tier, e.branch order by e.ran_at, e.id)
  ), evals as (
    -- A regression is fixed by the run that brings the failures back down after the run before it had more than its own
    -- predecessor.
    select r.user_id, count(*) as runs, sum(r.usd) as usd, sum(r.passed) as passed, sum(r.results) as results,
           count(*) filter (where r.one_before > r.two_before and r.failing <= r.two_before) as fixed
    from runs r where r.ran_at >= w.since::timestamp at time zone 'UTC' group by 1
  ), ships as (
    select l.user_id, count(*) as ships from app.ship_logs l
    where l.team_id = leaderboard.team_id and l.at >= w.since::timestamp at time zone 'UTC' and (s.repo_id is null or l.repo_id = s.repo_id)
    group by 1
  ), reviews as (
    select t.user_id, count(*) as reviews from app.review_triage t
    where t.team_id = leaderboard.team_id and t.day between w.since and w.today and (s.repo_id is null or t.repo_id = s.repo_id)
    group by 1
  ), qa as (
    select q.user_id, sum(q.health_score) as sum, count(q.health_score) as amount from app.qa_reports q
    where q.team_id = leaderboard.team_id and q.at >= w.since::timestamp at time zone 'UTC' and (s.repo_id is null or q.repo_id = s.repo_id)
    group by 1
  ), everybody as materialized (
    select m.user_id, u.name, b.user_id is not null as is_named, coalesce(e.runs, 0) as eval_runs, coalesce(e.fixed, 0) as regressions_fixed,
      e.passed, e.results, coalesce(h.ships, 0) as ships, coalesce(r.reviews, 0) as reviews, q.sum, coalesce(q.amount, 0) as amount,
      coalesce(e.usd, 0) as usd
    from (
      select x.user_id from evals x union select x.user_id from ships x union select x.user_id from reviews x
      union select x.user_id from qa x union select b.user_id from app.leaderboard_members b where b.team_id = leaderboard.team_id) m
    join app.users u on u.id = m.user_id
    left join app.leaderboard_members b on b.team_id = leaderboard.team_id and b.user_id = m.user_id
    left join evals e on e.user_id = m.user_id left join ships h on h.user_id = m.user_id
    left join reviews r on r.user_id = m.user_id left join qa q on q.user_id = m.user_id
  )
  select
    (select jsonb_build_object('eval_runs', coalesce(sum(e.eval_runs), 0), 'regressions_fixed', coalesce(sum(e.regressions_fixed), 0),
        'pass', app.rate(sum(e.passed), sum(e.results)), 'ships', coalesce(sum(e.ships), 0), 'reviews', coalesce(sum(e.reviews), 0),
        'qa_score', round(sum(e.sum) / nullif(sum(e.amount), 0), 2), 'usd', coalesce(sum(e.usd), 0),
        'usd_per_ship', round(sum(e.usd) / nullif(sum(e.ships), 0), 6)) from everybody e),
    coalesce((select jsonb_agg(jsonb_build_object('user_id', e.user_id, 'name', e.name, 'eval_runs', e.eval_runs,
        'regressions_fixed', e.regressions_fixed, 'pass', app.rate(e.passed, e.results), 'ships', e.ships, 'reviews', e.reviews,
        'qa_score', round(e.sum / nullif(e.amount, 0), 2), 'usd', e.usd, 'usd_per_ship', round(e.usd / nullif(e.ships, 0), 6))
        order by e.ships desc, e.regressions_fixed desc, e.eval_runs desc, e.name) from everybody e where e.is_named), '[]'),
    (select count(*) from everybody e where not e.is_named)
  into answer.totals, answer.people, answer.others;
  return answer;
end
$$;

-- Each person decides for themselves; a token of CI decides for nobody.
create function api.set_leaderboard(team_id uuid, joined boolean) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.require_member(set_leaderboard.team_id, 'manage');
  if joined then
    insert into app.leaderboard_members (team_id, user_id) values (set_leaderboard.team_id, auth.uid()) on conflict do nothing;
  else
    delete from app.leaderboard_members b where b.team_id = set_leaderboard.team_id and b.user_id = auth.uid();
  end if;
end
$$;

-- The records behind the numbers ----------------------------------------------------------------------------------------

create index records_shown on app.records (team_id, at desc, id desc)
  where erased_at is null and kind in ('eval_run', 'retro_snapshot', 'review_triage', 'qa_report', 'ship_log', 'transcript',
    'run_progress', 'approval_request', 'verdict');

-- What a list says about a record.
create function app.record_facts(kind text, payload jsonb) returns jsonb
language sql stable
begin atomic
  select case kind
    when 'eval_run' then jsonb_build_object('suite', left(payload #>> '{run,suite}', 300), 'tier', left(payload #>> '{run,tier}', 100),
      'branch', left(payload #>> '{run,gitBranch}', 300), 'passed', payload #> '{run,totals,passed}',
      'total', payload #> '{run,totals,total}')
    when 'ship_log' then jsonb_build_object('version', left(payload ->> 'version', 200), 'branch', left(payload ->> 'branch', 300),
      'pr_url', left(payload ->> 'pr_url', 2000), 'commits', app.number_in(payload -> 'commits', 1e6))
    when 'qa_report' then jsonb_build_object('url', left(payload ->> 'url', 500), 'score', app.number_in(payload -> 'health_score', 100),
      'issues', case when jsonb_typeof(payload -> 'issues') = 'array' then jsonb_array_length(payload -> 'issues') else 0 end)
    when 'review_triage' then jsonb_build_object('outcome', payload -> 'outcome', 'category', left(payload ->> 'category', 200),
      'reviewer', left(payload ->> 'reviewer', 200), 'file', left(payload ->> 'file_pattern', 300))
    when 'retro_snapshot' then jsonb_build_object('window', left(payload ->> 'window', 10), 'line', left(payload ->> 'tweetable', 300))
    when 'run_progress' then jsonb_build_object('title', left(payload ->> 'title', 300), 'state', left(payload ->> 'state', 50))
    when 'approval_request' then jsonb_build_object('gate', left(payload ->> 'gate', 200), 'state', left(payload ->> 'state', 50))
    when 'verdict' then jsonb_build_object('action', left(payload ->> 'action', 50))
    when 'transcript' then jsonb_build_object('turns', app.number_in(payload -> 'turns', 1e9))
    else '{}' end;
end;

-- Records, newest first, page by page: the next page begins before the last row's `at` and `id`. `since` and `until` are days,
-- by the same time as in the numbers: when an eval ran, the day of a triage, otherwise when the record was written.
create function api.activity(
  team_id uuid, repo text default null, kinds text[] default null, user_id uuid default null, since date default null,
  until date default null, suite text default null, case_name text default null, model text default null,
  category text default null, reviewer text default null, url text default null, which text default null,
  before_at timestamptz default null, before_id uuid default null, max_rows int default 50
) returns table (id uuid, kind text, at timestamptz, by_id uuid, by_name text, repo_name text, facts jsonb)
language plpgsql stable security definer set search_path = ''
as $$
declare
  wanted_repo uuid;
  is_admin boolean;
begin
  perform app.require_team(activity.team_id);
  wanted_repo := app.repo_named(activity.team_id, repo);
  is_admin := activity.team_id in (select app.my_admin_teams());
  if which is not null and which not in ('failed', 'fixes', 'false_alarms') then
    raise invalid_parameter_value using message = 'which is failed, fixes or false_alarms';
  end if;
  return query
    select r.id, r.kind, r.at, r.user_id, u.name, p.name, app.record_facts(r.kind, r.payload)
    from app.records r
    join app.users u on u.id = r.user_id
    left join app.repos p on p.id = r.repo_id
    left join app.eval_runs e on r.kind = 'eval_run' and e.team_id = r.team_id and e.id = r.id
    left join app.review_triage t on r.kind = 'review_triage' and t.team_id = r.team_id and t.id = r.id
    left join app.ship_logs l on r.kind = 'ship_log' and l.team_id = r.team_id and l.id = r.id
    left join app.qa_reports q on r.kind = 'qa_report' and q.team_id = r.team_id and q.id = r.id
    where r.team_id = activity.team_id and r.erased_at is null
      and r.kind in ('eval_run', 'retro_snapshot', 'review_triage', 'qa_report', 'ship_log', 'transcript', 'run_progress',
        'approval_request', 'verdict')
      and (activity.kinds is null or r.kind = any (activity.kinds))
      and (r.kind <> 'transcript' or r.user_id = auth.uid() or is_admin)
      -- A run that is not complete yet is not there.
      and (r.kind <> 'eval_run' or e.complete_at is not null)
      and (wanted_repo is null or r.repo_id = wanted_repo)
      and (activity.user_id is null or r.user_id = activity.user_id)
      and (activity.since is null or coalesce(app.day_of(e.ran_at), t.day, app.day_of(r.at)) >= activity.since)
      and (activity.until is null or coalesce(app.day_of(e.ran_at), t.day, app.day_of(r.at)) <= activity.until)
      and (activity.suite is null or e.suite = activity.suite)
      and (activity.case_name is null or exists (
        select from app.eval_results f where f.team_id = r.team_id and f.run_id = r.id and f.name = activity.case_name
          and f.status = 'fail'))
      and (activity.model is null or exists (
        select from app.eval_costs c where c.team_id = r.team_id and c.run_id = r.id and c.model = activity.model))
      and (activity.category is null or t.category = activity.category)
      and (activity.reviewer is null or t.reviewer = activity.reviewer)
      and (activity.url is null or q.url = activity.url)
      and (which is null
        or which = 'false_alarms' and t.outcome = 'fp'
        or which = 'fixes' and l.fixes <> '{}'
        or which = 'failed' and (e.failed > 0 or exists (
          select from app.ship_logs f where f.team_id = l.team_id and f.fixes <> '{}' and f.repo_id is not distinct from l.repo_id
            and l.version = any (f.fixes) and f.at > l.at)))
      and (before_at is null or (r.at, r.id) < (before_at, coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)))
    order by r.at desc, r.id desc
    limit least(greatest(coalesce(max_rows, 50), 1), 200);
end
$$;

create type api.team_record as (
  id uuid, kind text, at timestamptz, received_at timestamptz, by_id uuid, by_name text, repo_name text, agent text, payload jsonb,
  results jsonb);

-- One record whole; an eval run with its results, failures first, at most 500.
create function api.record(team_id uuid, id uuid) returns api.team_record
language plpgsql stable security definer set search_path = ''
as $$
declare
  answer api.team_record;
begin
  perform app.require_team(record.team_id);
  select r.id, r.kind, r.at, r.received_at, r.user_id, u.name, p.name, r.agent, r.payload, null
  into answer
  from app.records r join app.users u on u.id = r.user_id left join app.repos p on p.id = r.repo_id
  where r.team_id = record.team_id and r.id = record.id and r.erased_at is null and r.kind <> 'eval_results'
    and (r.kind <> 'transcript' or r.user_id = auth.uid() or record.team_id in (select app.my_admin_teams()))
    and (r.kind <> 'eval_run' or exists (
      select from app.eval_runs e where e.team_id = r.team_id and e.id = r.id and e.complete_at is not null));
  if answer.id is null then
    raise sqlstate 'PT404' using message = 'there is no such record, or it was erased', hint = 'List them: devflow sync show';
  end if;
  if answer.kind = 'eval_run' then
    select coalesce(jsonb_agg(to_jsonb(t)), '[]') into answer.results from (
      select t.name, t.category, t.status, t.scores, t.duration_ms from app.eval_results t
      where t.team_id = record.team_id and t.run_id = record.id
      order by t.status in ('fail', 'error') desc, t.chunk, t.place limit 500) t;
  end if;
  return answer;
end
$$;

-- Grants ----------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;

grant execute on function app.refresh_days(uuid, date, int) to devflow_engine;
grant execute on function api.team_overview(uuid, text, int), api.eval_trend(uuid, text, int, text, text, text),
  api.eval_struggles(uuid, text, int, text), api.velocity(uuid, text, int), api.costs(uuid, text, int),
  api.qa_health(uuid, text, int), api.review_signal(uuid, text, int), api.leaderboard(uuid, text, int),
  api.set_leaderboard(uuid, boolean), api.record(uuid, uuid),
  api.activity(uuid, text, text[], uuid, date, date, text, text, text, text, text, text, text, timestamptz, uuid, int)
  to authenticated;
