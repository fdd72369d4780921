-- How a team uses its agents, from the transcripts that people share: sessions, turns, tools, the length of prompts, and how sessions
-- ended. Numbers only; the texts stay with their author and the admins.

alter table app.transcripts
  -- What a person typed, without interruptions.
  add column prompts int not null default 0,
  add column prompt_chars bigint not null default 0,
  -- Calls of tools that change files.
  add column edits int not null default 0,
  add column interruptions int not null default 0;

-- Names of tools, in lower case, with which agents change files.
create function app.is_editing_tool(name text) returns boolean
language sql immutable
return lower(name) in ('edit', 'multiedit', 'write', 'notebookedit', 'apply_patch', 'str_replace_editor', 'str_replace', 'write_file',
  'edit_file', 'create_file', 'replace', 'patch');

-- Payloads come from people's machines: what has another form counts as nothing.
create function app.transcript_facts() returns trigger
language plpgsql set search_path = ''
as $$
declare
  said jsonb;
begin
  select r.payload into said from app.records r where r.team_id = new.team_id and r.id = new.id;
  if jsonb_typeof(said -> 'messages') = 'array' then
    -- Agents write an interruption down as if the person had typed it.
    select count(*) filter (where not m.is_stop), coalesce(sum(char_length(m.text)) filter (where not m.is_stop), 0),
           count(*) filter (where m.is_stop)
    into new.prompts, new.prompt_chars, new.interruptions
    from (
      select o ->> 'text' as text, o ->> 'text' like '[Request interrupted by user%' as is_stop
      from jsonb_array_elements(said -> 'messages') o
      where o ->> 'role' = 'user' and coalesce(o ->> 'text', '') <> '') m;
  end if;
  if jsonb_typeof(said -> 'tools') = 'object' then
    select coalesce(sum(app.number_in(t.value, 1e6)), 0)::int into new.edits
    from jsonb_each(said -> 'tools') t where app.is_editing_tool(t.key);
  end if;
  return new;
end
$$;
create trigger transcript_facts before insert on app.transcripts for each row execute function app.transcript_facts();

with facts as (
  select t.team_id, t.id, f.* from app.transcripts t
  join app.records r on r.team_id = t.team_id and r.id = t.id and jsonb_typeof(r.payload -> 'messages') = 'array'
  cross join lateral (
    select count(*) filter (where not m.is_stop) as prompts, coalesce(sum(char_length(m.text)) filter (where not m.is_stop), 0) as chars,
           count(*) filter (where m.is_stop) as stops
    from (
      select o ->> 'text' as text, o ->> 'text' like '[Request interrupted by user%' as is_stop
      from jsonb_array_elements(r.payload -> 'messages') o
      where o ->> 'role' = 'user' and coalesce(o ->> 'text', '') <> '') m) f
)
update app.transcripts t set prompts = f.prompts, prompt_chars = f.chars, interruptions = f.stops,
  edits = coalesce((select sum(app.number_in(e.value, 1e6)) from jsonb_each(
    case when jsonb_typeof(t.tools) = 'object' then t.tools else '{}' end) e where app.is_editing_tool(e.key)), 0)::int
from facts f where f.team_id = t.team_id and f.id = t.id;

create type api.team_usage as (
  since date, unit text, totals jsonb, before jsonb, points jsonb, tools jsonb, people jsonb, others int);

-- What some sessions add up to. `turns` and `prompt_chars` are medians: one long session must not speak for all.
create function app.usage_of(turns float8[], chars float8[], outcomes text[]) returns jsonb
language sql immutable
begin atomic
  select jsonb_build_object(
    'sessions', coalesce(cardinality(outcomes), 0),
    'turns', app.median(turns), 'prompt_chars', app.median(chars),
    'changed', app.rate((select count(*) from unnest(outcomes) o where o = 'changed'), coalesce(cardinality(outcomes), 0)),
    'interrupted', app.rate((select count(*) from unnest(outcomes) o where o = 'interrupted'), coalesce(cardinality(outcomes), 0)));
end;

-- How agents are used. A person is named to the others only if they are on the leaderboard; admins, who may read the transcripts, see
-- everybody, and everybody sees themselves.
create function api.agent_usage(team_id uuid, repo text default null, days int default 90) returns api.team_usage
language plpgsql security definer set search_path = ''
as $$
declare
  s record;
  w app.metric_window;
  is_admin boolean;
  answer api.team_usage;
begin
  select * into s from app.begin_metrics(agent_usage.team_id, repo, days);
  w := s.w;
  is_admin := agent_usage.team_id in (select app.my_admin_teams());
  answer.since := w.since;
  answer.unit := w.unit;
  with parts as materialized (
    select t.user_id, t.session_id, t.prompts, t.prompt_chars, t.edits, t.interruptions, t.tools, coalesce(t.started_at, r.at) as at
    from app.records r join app.transcripts t on t.team_id = r.team_id and t.id = r.id
    where r.team_id = agent_usage.team_id and r.kind = 'transcript' and r.erased_at is null
      and r.at >= w.before::timestamp at time zone 'UTC' and (s.repo_id is null or t.repo_id = s.repo_id)
  ), sessions as materialized (
    select p.user_id, p.session_id, app.day_of(min(p.at)) as day, sum(p.prompts)::float8 as turns,
      sum(p.prompt_chars)::float8 / nullif(sum(p.prompts), 0) as chars,
      case when sum(p.edits) > 0 then 'changed' when sum(p.interruptions) > 0 then 'interrupted' else 'answered' end as outcome
    from parts p group by 1, 2 having app.day_of(min(p.at)) between w.before and w.today
  ), steps as (
    select app.step_of(x.day, w.unit) as at, count(*) as sessions, array_agg(x.turns) as turns, array_agg(x.chars) as chars
    from sessions x where x.day >= w.since group by 1
  ), used as (
    select t.key as name, sum(app.number_in(t.value, 1e6)) as calls, count(distinct p.session_id) as sessions
    from parts p cross join lateral jsonb_each(case when jsonb_typeof(p.tools) = 'object' then p.tools else '{}' end) t
    where app.day_of(p.at) between w.since and w.today
    group by 1 order by 2 desc nulls last, 1 limit 30
  ), own as (
    select x.user_id, app.usage_of(array_agg(x.turns), array_agg(x.chars), array_agg(x.outcome)) as numbers, count(*) as sessions
    from sessions x where x.day >= w.since group by 1
  ), weeks as (
    select k.user_id, jsonb_agg(jsonb_build_object('at', k.at, 'sessions', k.sessions, 'turns', k.turns, 'prompt_chars', k.chars)
      order by k.at) as list
    from (
      select x.user_id, date_trunc('week', x.day::timestamp)::date as at, count(*) as sessions, sum(x.turns) as turns,
             round(avg(x.chars)::numeric, 1) as chars
      from sessions x where x.day >= w.since group by 1, 2) k
    group by 1
  ), everybody as (
    select o.user_id, o.numbers, o.sessions, u.name, k.list,
      is_admin or o.user_id = auth.uid() or exists (
        select from app.leaderboard_members b where b.team_id = agent_usage.team_id and b.user_id = o.user_id) as is_named
    from own o join app.users u on u.id = o.user_id join weeks k on k.user_id = o.user_id
  )
  select
    (select app.usage_of(array_agg(x.turns), array_agg(x.chars), array_agg(x.outcome)) from sessions x where x.day >= w.since),
    (select app.usage_of(array_agg(x.turns), array_agg(x.chars), array_agg(x.outcome)) from sessions x where x.day < w.since),
    (select jsonb_agg(jsonb_build_object('at', p.at, 'sessions', coalesce(t.sessions, 0), 'turns', app.median(t.turns),
        'prompt_chars', app.median(t.chars)) order by p.at)
     from app.steps_of(w) p (at) left join steps t on t.at = p.at),
    coalesce((select jsonb_agg(jsonb_build_object('name', left(u.name, 200), 'calls', coalesce(u.calls, 0), 'sessions', u.sessions)
        order by u.calls desc nulls last, u.name) from used u), '[]'),
    coalesce((select jsonb_agg(e.numbers || jsonb_build_object('user_id', e.user_id, 'name', e.name, 'weeks', e.list)
        order by e.sessions desc, e.name) from everybody e where e.is_named), '[]'),
    (select count(*)::int from everybody e where not e.is_named)
  into answer.totals, answer.before, answer.points, answer.tools, answer.people, answer.others;
  return answer;
end
$$;

-- A platform's sign-in knows the name of its person under another member of the claims.
create function app.name_from_platform() returns trigger
language plpgsql set search_path = ''
as $$
declare
  said text := coalesce(auth.jwt() #>> '{user_metadata,name}', auth.jwt() #>> '{user_metadata,full_name}');
begin
  if new.id = auth.uid() and nullif(trim(said), '') is not null then
    new.name := left(trim(said), 200);
  end if;
  return new;
end
$$;
create trigger name_from_platform before insert on app.users for each row execute function app.name_from_platform();

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;
grant execute on function api.agent_usage(uuid, text, int) to authenticated;
