-- People, teams, the ordered log of a team, repositories, and the round trip (ping).
--
-- Schema `app` holds tables: row-level security on all of them, policies through app.my_teams(), one policy per table
-- for the engine. Schema `api` is the data plane: functions only, each with its grant written beside it.
-- Row-level security is enabled and not forced: the owner is the role that migrates, which never serves a request,
-- and `security definer` functions and COPY (backup, restore) rely on the owner seeing everything.

create schema app;
create schema api;

-- Nothing is anybody's by default; what is granted is written out.
revoke all on schema app from public;
revoke all on schema api from public;
alter default privileges in schema app revoke execute on functions from public;
alter default privileges in schema api revoke execute on functions from public;
grant usage on schema app to authenticated, devflow_engine;
grant usage on schema api to anon, authenticated, devflow_engine;

-- Tables ------------------------------------------------------------------------------------------------------------

create table app.users (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 200),
  email text check (char_length(email) <= 320),
  created_at timestamptz not null default now()
);

create table app.teams (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null check (char_length(name) between 1 and 200),
  created_at timestamptz not null default now()
);

create table app.team_members (
  team_id uuid not null references app.teams on delete cascade,
  user_id uuid not null references app.users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz not null default now(),
  primary key (team_id, user_id)
);
create index team_members_of_user on app.team_members (user_id);

-- The last seq given out in each team.
create table app.team_counters (
  team_id uuid primary key references app.teams on delete cascade,
  seq bigint not null default 0
);

-- The one ordered log of a team; `seq` has no gaps and follows the order of commits.
create table app.changes (
  team_id uuid not null references app.teams on delete cascade,
  seq bigint not null,
  kind text not null,
  entity_id uuid not null,
  op text not null check (op in ('upsert', 'delete')),
  at timestamptz not null default clock_timestamp(),
  primary key (team_id, seq)
);

create table app.repos (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references app.teams on delete cascade,
  name text not null check (char_length(name) between 1 and 200),
  remote text check (char_length(remote) <= 2000),
  default_branch text not null default 'main' check (char_length(default_branch) between 1 and 250),
  path_hint text check (char_length(path_hint) <= 4000),
  sanitised boolean not null default false,
  created_at timestamptz not null default now(),
  unique (team_id, name)
);

create table app.pings (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references app.teams on delete cascade,
  user_id uuid not null references app.users on delete cascade,
  note jsonb not null default '{}',
  sanitised boolean not null default false,
  at timestamptz not null default now()
);
create index pings_of_team on app.pings (team_id, at);

-- Who is asking -----------------------------------------------------------------------------------------------------

-- The caller's teams. Security definer, so that policies on team_members do not ask themselves.
create function app.my_teams() returns setof uuid
language sql stable security definer set search_path = ''
begin atomic
  select m.team_id from app.team_members m where m.user_id = auth.uid();
end;

-- True when the server's sanitiser had to alter what this request sent.
create function app.was_sanitised() returns boolean
language sql stable
return coalesce(nullif(current_setting('request.sanitised', true), '')::boolean, false);

-- A team that is not there and a team of others answer alike.
create function app.require_member(team uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if auth.uid() is null then
    raise insufficient_privilege using message = 'sign in first';
  end if;
  if team is null or team not in (select app.my_teams()) then
    raise insufficient_privilege using message = 'you are not a member of this team';
  end if;
end
$$;

-- The ordered log ---------------------------------------------------------------------------------------------------

-- Appends one change per entity and returns the last seq. Call it last in a transaction: from here to the commit this
-- team's other writers wait, which is what makes seq gapless and equal to the order of commits. Writers never NOTIFY.
-- Security definer, because nobody else may write the log or the counter.
create function app.append_changes(team uuid, change_kind text, entities uuid[], change_op text default 'upsert')
returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  amount int := cardinality(entities);
  last_seq bigint;
begin
  -- `role` is what the request took with `set local role`; a definer function does not change it.
  if coalesce(current_setting('role', true), '') <> 'devflow_engine' then
    perform app.require_member(team);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('devflow.team:' || team::text, 0));
  update app.team_counters c set seq = c.seq + amount where c.team_id = team returning c.seq into last_seq;
  if last_seq is null then
    raise foreign_key_violation using message = 'there is no such team';
  end if;
  insert into app.changes (team_id, seq, kind, entity_id, op)
  select team, last_seq - amount + e.place, change_kind, e.id, change_op
  from unnest(entities) with ordinality as e (id, place);
  return last_seq;
end
$$;

-- Policies ----------------------------------------------------------------------------------------------------------

alter table app.users enable row level security;
alter table app.teams enable row level security;
alter table app.team_members enable row level security;
alter table app.team_counters enable row level security;
alter table app.changes enable row level security;
alter table app.repos enable row level security;
alter table app.pings enable row level security;

-- `(select …)` makes Postgres ask once per statement and not once per row.
create policy members_see_each_other on app.users for select to authenticated
  using (id = (select auth.uid()) or id in (
    select m.user_id from app.team_members m where m.team_id in (select app.my_teams())));
create policy members on app.teams for select to authenticated using (id in (select app.my_teams()));
create policy members on app.team_members for select to authenticated using (team_id in (select app.my_teams()));
create policy members on app.team_counters for select to authenticated using (team_id in (select app.my_teams()));
create policy members on app.changes for select to authenticated using (team_id in (select app.my_teams()));
create policy members on app.repos for select to authenticated using (team_id in (select app.my_teams()));
create policy members_add on app.repos for insert to authenticated with check (team_id in (select app.my_teams()));
create policy members on app.pings for select to authenticated using (team_id in (select app.my_teams()));
create policy members_add on app.pings for insert to authenticated
  with check (team_id in (select app.my_teams()) and user_id = (select auth.uid()));

create policy engine on app.users to devflow_engine using (true) with check (true);
create policy engine on app.teams to devflow_engine using (true) with check (true);
create policy engine on app.team_members to devflow_engine using (true) with check (true);
create policy engine on app.team_counters for select to devflow_engine using (true);
create policy engine on app.changes for select to devflow_engine using (true);
create policy engine on app.repos for select to devflow_engine using (true);
create policy engine on app.pings for select to devflow_engine using (true);

grant select on app.users, app.teams, app.team_members, app.team_counters, app.changes to authenticated;
grant select, insert on app.repos, app.pings to authenticated;
grant select on all tables in schema app to devflow_engine;
grant insert, update on app.users, app.teams, app.team_members to devflow_engine;

-- The data plane ----------------------------------------------------------------------------------------------------

create type api.identity as (id uuid, name text, email text, role text);
create type api.team as (id uuid, slug text, name text, role text);
create type api.repo as (
  id uuid, team_id uuid, name text, remote text, default_branch text, path_hint text, sanitised boolean,
  created_at timestamptz
);
create type api.ping_record as (
  id uuid, team_id uuid, user_id uuid, note jsonb, sanitised boolean, at timestamptz
);

-- Who the claims say is asking; a stranger gets nulls and the role `anon`.
create function api.whoami() returns api.identity
language plpgsql stable set search_path = ''
as $$
declare
  me uuid := auth.uid();
  answer api.identity;
begin
  if me is null then
    return row(null, null, null, 'anon')::api.identity;
  end if;
  select u.id, u.name, u.email, 'authenticated' into answer from app.users u where u.id = me;
  if not found then
    answer := row(me, auth.jwt() ->> 'name', auth.jwt() ->> 'email', 'authenticated')::api.identity;
  end if;
  return answer;
end
$$;

create function api.my_teams() returns setof api.team
language sql stable rows 10
begin atomic
  select t.id, t.slug, t.name, m.role
  from app.team_members m join app.teams t on t.id = m.team_id
  where m.user_id = auth.uid()
  order by t.name, t.id
  limit 1000;
end;

-- Security definer, because a team without members is nobody's yet, so no policy could let its maker in.
create function api.create_team(name text, slug text default null) returns api.team
language plpgsql security definer set search_path = ''
as $$
declare
  me uuid := auth.uid();
  made uuid := gen_random_uuid();
  chosen text := coalesce(nullif(slug, ''), left(
    trim(both '-' from regexp_replace(lower(create_team.name), '[^a-z0-9]+', '-', 'g')), 50));
begin
  if me is null then
    raise insufficient_privilege using message = 'sign in first';
  end if;
  -- A person who comes from a platform's sign-in is first seen here.
  insert into app.users (id, name, email)
  values (me, coalesce(auth.jwt() ->> 'name', auth.jwt() ->> 'email', 'Somebody'), auth.jwt() ->> 'email')
  on conflict (id) do nothing;
  if slug is null and (chosen = '' or exists (select from app.teams t where t.slug = chosen)) then
    chosen := trim(leading '-' from chosen || '-' || left(made::text, 8));
  end if;
  insert into app.teams (id, slug, name) values (made, chosen, create_team.name);
  insert into app.team_members (team_id, user_id, role) values (made, me, 'owner');
  insert into app.team_counters (team_id) values (made);
  perform app.append_changes(made, 'team', array[made]);
  return row(made, chosen, create_team.name, 'owner')::api.team;
exception when unique_violation then
  raise unique_violation using message = format('the slug %s is taken', chosen), hint = 'choose another slug';
end
$$;

create function api.team_members(team_id uuid)
returns table (user_id uuid, name text, email text, role text, joined_at timestamptz)
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_member(team_members.team_id);
  return query
    select m.user_id, u.name, u.email, m.role, m.joined_at
    from app.team_members m join app.users u on u.id = m.user_id
    where m.team_id = team_members.team_id
    order by m.joined_at, m.user_id
    limit 1000;
end
$$;

create function api.register_repo(
  team_id uuid, name text, remote text default null, default_branch text default 'main', path_hint text default null,
  id uuid default null
) returns api.repo
language plpgsql set search_path = ''
as $$
declare
  wanted uuid := coalesce(id, gen_random_uuid());
  answer api.repo;
begin
  perform app.require_member(team_id);
  -- Retry key: the caller's id. The same id in the same team is the same registration, and answers with the first one.
  insert into app.repos as r (id, team_id, name, remote, default_branch, path_hint, sanitised)
  values (wanted, register_repo.team_id, register_repo.name, register_repo.remote,
          coalesce(register_repo.default_branch, 'main'), register_repo.path_hint, app.was_sanitised())
  on conflict on constraint repos_pkey do nothing
  returning r.id, r.team_id, r.name, r.remote, r.default_branch, r.path_hint, r.sanitised, r.created_at into answer;
  if found then
    perform app.append_changes(register_repo.team_id, 'repo', array[wanted]);
    return answer;
  end if;
  select r.id, r.team_id, r.name, r.remote, r.default_branch, r.path_hint, r.sanitised, r.created_at into answer
  from app.repos r where r.id = wanted and r.team_id = register_repo.team_id;
  if not found then
    raise unique_violation using message = 'this id belongs to another record', hint = 'make a new id';
  end if;
  return answer;
end
$$;

create function api.list_repos(team_id uuid) returns setof api.repo
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_member(list_repos.team_id);
  return query
    select r.id, r.team_id, r.name, r.remote, r.default_branch, r.path_hint, r.sanitised, r.created_at
    from app.repos r where r.team_id = list_repos.team_id
    order by r.name, r.id
    limit 1000;
end
$$;

create function api.ping(team_id uuid, note jsonb default '{}', id uuid default null) returns api.ping_record
language plpgsql set search_path = ''
as $$
declare
  wanted uuid := coalesce(id, gen_random_uuid());
  answer api.ping_record;
begin
  perform app.require_member(team_id);
  if pg_column_size(note) > 65536 then
    raise program_limit_exceeded using message = 'the note is larger than 64 kB';
  end if;
  -- Retry key: the caller's id. The same id from the same person in the same team answers with the first ping.
  insert into app.pings as p (id, team_id, user_id, note, sanitised)
  values (wanted, ping.team_id, auth.uid(), coalesce(ping.note, '{}'), app.was_sanitised())
  on conflict on constraint pings_pkey do nothing
  returning p.id, p.team_id, p.user_id, p.note, p.sanitised, p.at into answer;
  if found then
    perform app.append_changes(ping.team_id, 'ping', array[wanted]);
    return answer;
  end if;
  select p.id, p.team_id, p.user_id, p.note, p.sanitised, p.at into answer
  from app.pings p where p.id = wanted and p.team_id = ping.team_id and p.user_id = auth.uid();
  if not found then
    raise unique_violation using message = 'this id belongs to another record', hint = 'make a new id';
  end if;
  return answer;
end
$$;

create function api.changes(team_id uuid, after_seq bigint default 0, max_rows int default 500)
returns table (seq bigint, kind text, entity_id uuid, op text, at timestamptz)
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_member(changes.team_id);
  return query
    select c.seq, c.kind, c.entity_id, c.op, c.at
    from app.changes c
    where c.team_id = changes.team_id and c.seq > coalesce(after_seq, 0)
    order by c.seq
    limit least(greatest(coalesce(max_rows, 500), 1), 1000);
end
$$;

-- Background work ---------------------------------------------------------------------------------------------------

-- The person this machine's server acts for, or one a sign-in has proven. Retry key: the id.
create function app.ensure_user(user_id uuid, user_name text, user_email text default null) returns void
language sql set search_path = ''
begin atomic
  insert into app.users (id, name, email) values (user_id, user_name, user_email)
  on conflict (id) do update set name = excluded.name, email = coalesce(excluded.email, app.users.email)
  where (app.users.name, app.users.email) is distinct from (excluded.name, coalesce(excluded.email, app.users.email));
end;

-- Grants ------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;

grant execute on function app.my_teams(), app.was_sanitised(), app.require_member(uuid),
  app.append_changes(uuid, text, uuid[], text) to authenticated, devflow_engine;
grant execute on function app.ensure_user(uuid, text, text) to devflow_engine;

grant execute on function api.whoami() to anon, authenticated;
grant execute on function api.my_teams() to authenticated;
grant execute on function api.create_team(text, text) to authenticated;
grant execute on function api.team_members(uuid) to authenticated;
grant execute on function api.register_repo(uuid, text, text, text, text, uuid) to authenticated;
grant execute on function api.list_repos(uuid) to authenticated;
grant execute on function api.ping(uuid, jsonb, uuid) to authenticated;
grant execute on function api.changes(uuid, bigint, int) to authenticated;
