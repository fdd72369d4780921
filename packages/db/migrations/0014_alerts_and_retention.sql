-- Alerts about eval runs, the weekly digest, how long records are kept, and what is tidied up.
--
-- An eval run that becomes complete leaves a row in eval_checks, in the same transaction. The server compares it, and writes the
-- outcome and the messages to send in one more transaction; a sender sends them. No row here has content for longer than its
-- message waits, and a row about an eval run is deleted with the run.

-- Tables ------------------------------------------------------------------------------------------------------------

-- Where a team's messages go. The URL of a webhook is its key: no request may read this table, whoever sends it.
create table app.alert_settings (
  team_id uuid primary key references app.teams on delete cascade,
  webhook_url text check (char_length(webhook_url) between 8 and 2000),
  webhook_format text not null default 'auto' check (webhook_format in ('auto', 'slack', 'json')),
  emails text[] not null default '{}' check (cardinality(emails) <= 20),
  -- Empty: runs of every branch are compared.
  branches text[] not null default '{}' check (cardinality(branches) <= 100),
  time_zone text not null default 'UTC',
  -- 1 is Monday.
  digest_day int not null default 1 check (digest_day between 1 and 7),
  digest_hour int not null default 9 check (digest_hour between 0 and 23),
  -- Since when the digest is wanted; null: it is not.
  digest_since timestamptz,
  updated_at timestamptz not null default now()
);

-- Complete eval runs that have not been compared yet.
create table app.eval_checks (
  team_id uuid not null,
  run_id uuid not null,
  created_at timestamptz not null default now(),
  attempts int not null default 0,
  -- When it may be tried, also while an attempt is under way: if that one dies, another follows.
  next_try_at timestamptz not null default now(),
  last_error text,
  primary key (team_id, run_id),
  foreign key (team_id, run_id) references app.eval_runs on delete cascade
);
create index eval_checks_due on app.eval_checks (next_try_at);

-- A suite that got worse on a branch. Open until a later run is as good as the runs before it.
create table app.regressions (
  team_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- Names repository, suite, tier, judge, variant and branch together.
  line text not null check (char_length(line) <= 200),
  suite text not null,
  branch text,
  repo_id uuid references app.repos on delete set null,
  -- The run that showed it.
  run_id uuid not null,
  -- The runs before it.
  baseline uuid[] not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by uuid,
  primary key (team_id, id),
  foreign key (team_id, run_id) references app.eval_runs on delete cascade
);
create unique index regressions_open on app.regressions (team_id, line) where closed_at is null;
create index regressions_by_time on app.regressions (team_id, opened_at desc);
create index regressions_of_run on app.regressions (team_id, run_id);

-- Messages to send. The key is the same however often the cause is seen, so that each is sent once to each target.
create table app.alert_messages (
  team_id uuid not null references app.teams on delete cascade,
  key text not null check (char_length(key) <= 200),
  -- `webhook`, or an e-mail address.
  target text not null check (char_length(target) <= 320),
  kind text not null check (kind in ('regression', 'recovery', 'digest', 'test')),
  run_id uuid,
  -- What it says; gone as soon as it was sent or given up. A digest has only its days and is composed when it is sent.
  body jsonb,
  created_at timestamptz not null,
  attempts int not null default 0,
  next_try_at timestamptz not null,
  -- Sent, or given up.
  ended_at timestamptz,
  last_error text,
  primary key (team_id, key, target),
  foreign key (team_id, run_id) references app.eval_runs on delete cascade
);
create index alert_messages_due on app.alert_messages (next_try_at) where ended_at is null;
create index alert_messages_of_run on app.alert_messages (team_id, run_id);

-- Records older than this are erased; kinds without a row are kept.
create table app.retention (
  team_id uuid not null references app.teams on delete cascade,
  kind text not null,
  days int not null check (days between 1 and 3650),
  primary key (team_id, kind)
);

do $$
declare
  name text;
begin
  foreach name in array array['alert_settings', 'eval_checks', 'regressions', 'alert_messages', 'retention'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy engine on app.%I to devflow_engine using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on app.%I to devflow_engine', name);
  end loop;
  foreach name in array array['regressions', 'retention'] loop
    execute format('create policy members on app.%I for select to authenticated using (team_id in (select app.my_teams()))', name);
    execute format('grant select on app.%I to authenticated', name);
  end loop;
end
$$;

-- The run and its check commit together, whatever completes the run.
create function app.note_complete_run() returns trigger
language plpgsql set search_path = ''
as $$
begin
  insert into app.eval_checks (team_id, run_id)
  select new.team_id, new.id from app.alert_settings s
  where s.team_id = new.team_id and (s.webhook_url is not null or cardinality(s.emails) > 0)
    and (cardinality(s.branches) = 0 or new.branch = any (s.branches))
  on conflict do nothing;
  return null;
end
$$;
create trigger complete after update of complete_at on app.eval_runs for each row
  when (old.complete_at is null and new.complete_at is not null)
  execute function app.note_complete_run();

-- Alerts ------------------------------------------------------------------------------------------------------------

create type api.alert_state as (
  webhook_host text, webhook_format text, emails text[], branches text[], time_zone text, digest boolean, digest_day int,
  digest_hour int, waiting int, failing int, given_up int, last_error text, open_regressions int);

-- What members may know: never the URL. The addresses are for admins.
create function app.alert_state_of(team uuid, is_admin boolean) returns api.alert_state
language sql stable set search_path = ''
begin atomic
  select substring(s.webhook_url from '^https?://([^/:?#]+)'), coalesce(s.webhook_format, 'auto'),
    case when is_admin then coalesce(s.emails, '{}') end, coalesce(s.branches, '{}'), coalesce(s.time_zone, 'UTC'),
    s.digest_since is not null, coalesce(s.digest_day, 1), coalesce(s.digest_hour, 9),
    m.waiting, m.failing, m.given_up, m.last_error,
    (select count(*)::int from app.regressions r where r.team_id = team and r.closed_at is null)
  from (select team as id) t
  left join app.alert_settings s on s.team_id = t.id
  cross join lateral (
    select (count(*) filter (where a.ended_at is null))::int as waiting,
      (count(*) filter (where a.ended_at is null and a.last_error is not null))::int as failing,
      (count(*) filter (where a.ended_at is not null))::int as given_up,
      (array_agg(a.last_error order by a.created_at desc) filter (where a.last_error is not null))[1] as last_error
    from app.alert_messages a
    where a.team_id = team
      and (a.ended_at is null or (a.last_error is not null and a.ended_at > now() - interval '7 days'))) m;
end;

create function api.alert_state(team_id uuid) returns api.alert_state
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_member(alert_state.team_id);
  return app.alert_state_of(alert_state.team_id, alert_state.team_id in (select app.my_admin_teams()));
end
$$;

-- What is null stays as it is; an empty URL or list takes it away.
create function api.set_alerts(
  team_id uuid, webhook_url text default null, webhook_format text default null, emails text[] default null,
  branches text[] default null, time_zone text default null, digest boolean default null, digest_day int default null,
  digest_hour int default null
) returns api.alert_state
language plpgsql security definer set search_path = ''
as $$
declare
  wrong text;
begin
  perform app.require_admin(set_alerts.team_id);
  if webhook_url <> '' and webhook_url !~ '^https?://[^/@\s?#]+([/?][^\s@#]*)?$' then
    raise invalid_parameter_value using message = 'the webhook is not an http or https URL';
  end if;
  select e into wrong from unnest(emails) e where e !~ '^[!-~]+$' or e !~ '^[^\s<>@"\\,;:]+@[^\s<>@"\\,;:]+$' or char_length(e) > 320 limit 1;
  if wrong is not null then
    raise invalid_parameter_value using message = format('%s is not an e-mail address', left(wrong, 100));
  end if;
  if time_zone is not null and not exists (select from pg_catalog.pg_timezone_names z where z.name = set_alerts.time_zone) then
    raise invalid_parameter_value using message = format('there is no time zone %s', left(time_zone, 100)),
      hint = 'Use a name such as Europe/Berlin.';
  end if;
  insert into app.alert_settings as s (team_id) values (set_alerts.team_id) on conflict do nothing;
  update app.alert_settings s set
    webhook_url = nullif(coalesce(set_alerts.webhook_url, s.webhook_url), ''),
    webhook_format = coalesce(set_alerts.webhook_format, s.webhook_format),
    emails = coalesce(set_alerts.emails, s.emails),
    branches = coalesce(set_alerts.branches, s.branches),
    time_zone = coalesce(set_alerts.time_zone, s.time_zone),
    digest_day = coalesce(set_alerts.digest_day, s.digest_day),
    digest_hour = coalesce(set_alerts.digest_hour, s.digest_hour),
    digest_since = case when set_alerts.digest is null then s.digest_since
      when set_alerts.digest then coalesce(s.digest_since, now()) end,
    updated_at = now()
  where s.team_id = set_alerts.team_id;
  -- What waited for a target that is gone is nobody's any more.
  delete from app.alert_messages m using app.alert_settings s
  where m.team_id = set_alerts.team_id and s.team_id = m.team_id and m.ended_at is null
    and not (m.target = any (s.emails) or (m.target = 'webhook' and s.webhook_url is not null));
  return app.alert_state_of(set_alerts.team_id, true);
end
$$;

-- Queues one message for every target of a team; returns how many are new. Retry key: (team, key, target).
create function app.queue_alert(team uuid, message_key text, message_kind text, about uuid, content jsonb, at timestamptz) returns int
language sql set search_path = ''
begin atomic
  with made as (
    insert into app.alert_messages (team_id, key, target, kind, run_id, body, created_at, next_try_at)
    select team, message_key, t.target, message_kind, about, content, at, at
    from app.alert_settings s
    cross join lateral (
      select 'webhook' as target where s.webhook_url is not null
      union select e from unnest(s.emails) e) t
    where s.team_id = team
    on conflict do nothing
    returning 1)
  select count(*)::int from made;
end;

create type api.queued_alert as (key text, targets int);

-- What an admin sends by hand: a test, or the digest of the last seven days. At most ten an hour, because it mails people.
create function api.send_alert(team_id uuid, kind text) returns api.queued_alert
language plpgsql security definer set search_path = ''
as $$
declare
  made text := send_alert.kind || ':' || gen_random_uuid()::text;
  targets int;
begin
  perform app.require_admin(send_alert.team_id);
  if send_alert.kind is null or send_alert.kind not in ('test', 'digest') then
    raise invalid_parameter_value using message = 'what can be sent is test or digest';
  end if;
  -- One after the other, or each of them would count before the others have inserted.
  perform from app.alert_settings s where s.team_id = send_alert.team_id for update;
  if (select count(distinct m.key) from app.alert_messages m
      where m.team_id = send_alert.team_id and m.key ~ '^(test|digest):[0-9a-f]{8}-' and m.created_at > now() - interval '1 hour') >= 10 then
    raise sqlstate 'PT429' using message = 'ten messages were sent by hand in the last hour', hint = 'Try again later.';
  end if;
  targets := app.queue_alert(send_alert.team_id, made, send_alert.kind, null,
    case when send_alert.kind = 'digest'
      then jsonb_build_object('from', now() - interval '7 days', 'to', now()) else '{}' end, now());
  if targets = 0 then
    raise sqlstate 'PT409' using message = 'there is nowhere to send it', hint = 'Name a target: devflow team alerts set --webhook <url>';
  end if;
  return row(made, targets)::api.queued_alert;
end
$$;

-- The digest --------------------------------------------------------------------------------------------------------

create type api.digest_page as (
  team text, from_at timestamptz, to_at timestamptz, members int, suites jsonb, usd float8, usd_before float8,
  ships jsonb, regressions jsonb, qa_reports int, qa_score float8, qa_score_before float8, reviews int, review_false int, note text);

create function app.digest_of(team uuid, from_at timestamptz, to_at timestamptz) returns api.digest_page
language sql stable set search_path = ''
begin atomic
  with spans as (
    select from_at as a, to_at as b, from_at - (to_at - from_at) as before
  ), runs as (
    select e.*, e.ran_at >= from_at as is_new from app.eval_runs e, spans s
    where e.team_id = team and e.complete_at is not null and e.ran_at >= s.before and e.ran_at < s.b
  ), suites as (
    select r.suite, p.name as repo, count(*) filter (where r.is_new) as runs,
      sum(r.passed) filter (where r.is_new) as passed, sum(r.passed + r.failed) filter (where r.is_new) as results,
      coalesce(sum(r.passed) filter (where not r.is_new), 0) as passed_before,
      coalesce(sum(r.passed + r.failed) filter (where not r.is_new), 0) as results_before
    from runs r left join app.repos p on p.id = r.repo_id
    group by r.suite, p.name having count(*) filter (where r.is_new) > 0
    order by 3 desc, 1, 2 limit 20
  ), ships as (
    select l.version, l.branch, l.pr_url, l.at, u.name as person, p.name as repo
    from app.ship_logs l join app.users u on u.id = l.user_id left join app.repos p on p.id = l.repo_id
    where l.team_id = team and l.at >= from_at and l.at < to_at
    order by l.at desc limit 50
  ), found as (
    select g.suite, g.branch, p.name as repo, g.opened_at, g.closed_at
    from app.regressions g left join app.repos p on p.id = g.repo_id
    where g.team_id = team and g.opened_at < to_at and (g.closed_at is null or g.closed_at >= from_at)
    order by g.opened_at limit 50
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
     order by s.day desc, s.id desc limit 1)
  from app.teams t where t.id = team;
end;

-- The seven days before `until`, as the digest would tell them.
create function api.digest(team_id uuid, until timestamptz default null) returns api.digest_page
language plpgsql stable security definer set search_path = ''
as $$
declare
  ends timestamptz := coalesce(until, now());
begin
  perform app.require_member(digest.team_id);
  return app.digest_of(digest.team_id, ends - interval '7 days', ends);
end
$$;

-- Queues the digests that are due: the last time of a team's day and hour, in its zone, if it was after the digest was turned on.
-- One per team and week, however often and by however many servers this is called, and late rather than never.
create function app.queue_digests(at timestamptz) returns int
language sql set search_path = ''
begin atomic
  with local as (
    select s.team_id, s.time_zone, s.digest_since, at at time zone s.time_zone as now_there,
      date_trunc('week', at at time zone s.time_zone) + make_interval(days => s.digest_day - 1, hours => s.digest_hour) as slot
    from app.alert_settings s where s.digest_since is not null
  ), due as (
    select l.team_id, l.time_zone, l.digest_since,
      case when l.slot > l.now_there then l.slot - interval '7 days' else l.slot end as slot
    from local l
  ), wanted as (
    select d.team_id, 'digest:' || to_char(d.slot, 'IYYY-"W"IW') as key,
      jsonb_build_object('from', (d.slot - interval '7 days') at time zone d.time_zone, 'to', d.slot at time zone d.time_zone) as body
    from due d where d.slot at time zone d.time_zone >= d.digest_since
  )
  select coalesce(sum(app.queue_alert(w.team_id, w.key, 'digest', null, w.body, at)), 0)::int
  from wanted w
  -- A target that was added since then waits for the next one.
  where not exists (select from app.alert_messages m where m.team_id = w.team_id and m.key = w.key);
end;

-- Erasure -----------------------------------------------------------------------------------------------------------

-- Erases records: of each, only a tombstone with its hash stays, and the log carries the deletion to every cache. An eval run
-- takes its results along, and a part of a run its run. The row is deleted and made again, so that everything that was made from
-- it goes with it, whichever migration made the table. Returns the number of records.
create function app.erase_records(team uuid, wanted uuid[]) returns int
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
  if cardinality(ids) > 0 then
    perform app.append_change_list(team, kinds, ids, array_fill('delete'::text, array[cardinality(ids)]));
  end if;
  return gone;
end
$$;

-- Erases a record for everybody. Its author may, and every admin. A record that has not arrived yet will be answered `erased`
-- when it does.
create or replace function api.forget_record(team_id uuid, id uuid) returns api.forgotten
language plpgsql security definer set search_path = ''
as $$
declare
  wanted uuid := forget_record.id;
  found_kind text;
  author uuid;
  now_at timestamptz := clock_timestamp();
begin
  perform app.require_team(forget_record.team_id, 'write');
  if wanted is null then
    raise invalid_parameter_value using message = 'id is missing';
  end if;
  -- A chunk stands for its run.
  select c.run_id into wanted from app.eval_chunks c where c.team_id = forget_record.team_id and c.id = forget_record.id;
  wanted := coalesce(wanted, forget_record.id);
  perform pg_advisory_xact_lock(hashtextextended('devflow.eval:' || forget_record.team_id::text || wanted::text, 0));
  insert into app.records as r (team_id, id, kind, schema_version, user_id, claimed_at, at, received_at, erased_at)
  values (forget_record.team_id, wanted, 'unknown', 1, auth.uid(), now_at, now_at, now_at, now_at)
  on conflict on constraint records_pkey do nothing
  returning r.kind into found_kind;
  if found_kind is not null then
    return row(wanted, found_kind, 0)::api.forgotten;
  end if;
  select r.kind, r.user_id into found_kind, author
  from app.records r where r.team_id = forget_record.team_id and r.id = wanted for update;
  if author <> auth.uid() and forget_record.team_id not in (select app.my_admin_teams()) then
    raise insufficient_privilege using message = 'only the author of a record and the admins of its team can erase it';
  end if;
  return row(wanted, found_kind, app.erase_records(forget_record.team_id, array[wanted]))::api.forgotten;
end
$$;

-- Removes a member and what the team holds about the person: their records, and their name and address when this was their last
-- team. Rows that others' records refer to stay, without a name.
create or replace function api.erase_member(team_id uuid, user_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mine text := app.require_admin(team_id);
  theirs text := app.require_other_member(team_id, user_id);
begin
  if theirs = 'owner' and mine <> 'owner' then
    raise insufficient_privilege using message = 'only an owner may erase an owner', detail = 'not_an_owner';
  end if;
  if user_id = auth.uid() then
    raise sqlstate 'PT409' using message = 'you cannot erase yourself', hint = 'Ask another admin of the team.';
  end if;
  perform app.lock_members(erase_member.team_id, erase_member.user_id);
  delete from app.pings p where p.team_id = erase_member.team_id and p.user_id = erase_member.user_id;
  perform app.erase_records(erase_member.team_id, (
    select array_agg(r.id) from app.records r
    where r.team_id = erase_member.team_id and r.user_id = erase_member.user_id and r.erased_at is null));
  delete from app.access_tokens t where t.team_id = erase_member.team_id and t.user_id = erase_member.user_id;
  -- Mail to the address of the person, and invites that were sent to it.
  update app.alert_settings s set emails = array(
      select e from unnest(s.emails) e where lower(e) is distinct from (
        select lower(u.email) from app.users u where u.id = erase_member.user_id))
  where s.team_id = erase_member.team_id;
  delete from app.alert_messages m using app.users u
  where m.team_id = erase_member.team_id and u.id = erase_member.user_id and lower(m.target) = lower(u.email);
  delete from app.invites i
  where i.team_id = erase_member.team_id and (i.used_by = erase_member.user_id or lower(i.email) = (
    select lower(u.email) from app.users u where u.id = erase_member.user_id));
  perform app.end_membership(erase_member.team_id, erase_member.user_id);
  if not exists (select from app.team_members m where m.user_id = erase_member.user_id) then
    update app.users u set name = 'Erased member', email = null, email_confirmed_at = null, erased_at = now()
    where u.id = erase_member.user_id;
    delete from app.sign_ins s where s.user_id = erase_member.user_id;
  end if;
end
$$;

-- Retention ---------------------------------------------------------------------------------------------------------

-- How long each kind is kept. The results of an eval run are kept as long as the run.
create function api.retention(team_id uuid) returns table (kind text, days int)
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_member(retention.team_id);
  return query select r.kind, r.days from app.retention r where r.team_id = retention.team_id order by r.kind;
end
$$;

-- Without days, the kind is kept.
create function api.set_retention(team_id uuid, kind text, days int default null) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.require_admin(set_retention.team_id);
  if set_retention.kind = 'eval_results'
     or not exists (select from app.record_kinds() k where k.kind = set_retention.kind) then
    raise invalid_parameter_value using message = format('there is no kind of record %s', left(set_retention.kind, 100)),
      hint = 'The kinds are: ' || (select string_agg(k.kind, ', ' order by k.kind) from app.record_kinds() k where k.kind <> 'eval_results');
  end if;
  if set_retention.days not between 1 and 3650 then
    raise invalid_parameter_value using message = 'records are kept for 1 to 3650 days';
  end if;
  delete from app.retention r where r.team_id = set_retention.team_id and r.kind = set_retention.kind;
  insert into app.retention (team_id, kind, days)
  select set_retention.team_id, set_retention.kind, set_retention.days where set_retention.days is not null;
end
$$;

-- Erases up to `most` records of one team whose time is over; returns how many. Called until it returns 0.
create function app.apply_retention(at timestamptz, most int default 500) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  one record;
begin
  for one in
    select t.team_id, array_agg(o.id) as ids
    from app.retention t
    cross join lateral (
      select r.id from app.records r
      where r.team_id = t.team_id and r.kind = t.kind and r.erased_at is null
        and r.at < apply_retention.at - make_interval(days => t.days)
      order by r.at limit most) o
    group by t.team_id order by t.team_id limit 1
  loop
    return app.erase_records(one.team_id, one.ids);
  end loop;
  return 0;
end
$$;

-- What nobody needs any more. A pull whose cursor is older than the log takes a snapshot.
create function app.tidy(at timestamptz) returns void
language sql security definer set search_path = ''
begin atomic
  delete from app.changes c using (
    select o.team_id, max(o.seq) as seq from app.changes o where o.at < tidy.at - interval '90 days' group by o.team_id) old
  where c.team_id = old.team_id and c.seq <= old.seq;
  delete from app.sign_ins s where s.expires_at < tidy.at - interval '30 days' or s.revoked_at < tidy.at - interval '30 days';
  delete from app.device_requests d where d.expires_at < tidy.at - interval '10 minutes';
  delete from app.one_time_links l where l.expires_at < tidy.at;
  delete from app.invites i where i.expires_at < tidy.at - interval '30 days';
  delete from app.access_tokens t where t.expires_at < tidy.at - interval '30 days' or t.revoked_at < tidy.at - interval '30 days';
  delete from app.alert_messages m where m.ended_at < tidy.at - interval '90 days';
end;

-- The log no longer goes back for ever.
create or replace function api.team_welcome(team_id uuid) returns api.welcome
language plpgsql stable set search_path = ''
as $$
declare
  answer api.welcome;
begin
  perform app.require_member(team_welcome.team_id);
  select
    (select count(*) from app.team_members m where m.team_id = team_welcome.team_id),
    (select count(*) from app.eval_runs e
     where e.team_id = team_welcome.team_id and e.complete_at > now() - interval '7 days'),
    (select max(l.at) from app.ship_logs l where l.team_id = team_welcome.team_id)
  into answer;
  return answer;
end
$$;

-- Grants ------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;

grant execute on function app.queue_alert(uuid, text, text, uuid, jsonb, timestamptz), app.queue_digests(timestamptz),
  app.digest_of(uuid, timestamptz, timestamptz), app.apply_retention(timestamptz, int), app.tidy(timestamptz) to devflow_engine;

grant execute on function api.alert_state(uuid),
  api.set_alerts(uuid, text, text, text[], text[], text, boolean, int, int), api.send_alert(uuid, text),
  api.digest(uuid, timestamptz), api.retention(uuid), api.set_retention(uuid, text, int) to authenticated;
