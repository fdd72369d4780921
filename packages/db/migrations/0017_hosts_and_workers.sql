-- Machines that drive runs of the distributed engine, and the role that their workers connect as.

-- Hosts ----------------------------------------------------------------------------------------------------------------

create table app.hosts (
  host text primary key check (host ~ '^[\w.-]{1,100}$'),
  -- The team that its token is for. Null: a machine without a token, which serves every team of this database.
  team_id uuid references app.teams on delete cascade,
  name text not null check (char_length(name) between 1 and 200),
  version text not null,
  labels text[] not null default '{}',
  -- Backends that it can drive, with their versions.
  agents jsonb not null default '[]',
  -- Remotes that it takes runs of; patterns such as git.example.com/team/*. Empty: any.
  repositories text[] not null default '{}',
  places int not null check (places >= 0),
  workspace_root text not null,
  -- Verifies the chains that it signs.
  public_key text not null,
  -- How it stands with Temporal.
  engine jsonb,
  draining boolean not null default false,
  suspect_ms bigint not null check (suspect_ms > 0),
  lost_ms bigint not null check (lost_ms > 0),
  announced_at timestamptz not null default now(),
  -- By the clock of Postgres, like every time that decides something about a machine.
  beat_at timestamptz not null default now(),
  -- Its runs were taken from it; cleared by the next beat.
  lost_at timestamptz,
  removed_at timestamptz
);

-- One word about a machine, for everybody who decides something about it.
create function app.host_state(machine app.hosts) returns text
language sql stable
return case
  when machine.removed_at is not null then 'removed'
  when machine.beat_at < now() - make_interval(secs => machine.lost_ms / 1000.0) then 'lost'
  when machine.beat_at < now() - make_interval(secs => machine.suspect_ms / 1000.0) then 'suspect'
  when machine.draining then 'draining'
  else 'present' end;

-- Runs on other machines -----------------------------------------------------------------------------------------------

alter table app.runs
  -- Where its repository can be fetched from and its commits are pushed to. Null: the repository is a folder of its machine.
  add column remote text,
  -- The same repository on every machine: the normalised remote, or the machine and the folder.
  add column repo_key text,
  -- How often it has moved to another machine. Sessions of an earlier machine are no longer the run's.
  add column incarnation int not null default 0;
update app.runs set repo_key = host || ':' || repo_path;
alter table app.runs alter column repo_key set not null;
drop index app.one_exclusive_run_per_base;
create unique index one_exclusive_run_per_base on app.runs (team_id, repo_key, base_branch)
  where exclusive and parent_run_id is null and state not in ('completed', 'failed', 'aborted');

alter table app.sessions
  add column incarnation int not null default 0,
  drop constraint sessions_run_id_role_id_key,
  add unique (run_id, role_id, incarnation);

-- What pages show of a run whose files are on another machine.
create table app.run_files (
  run_id uuid not null references app.runs on delete cascade,
  team_id uuid not null references app.teams on delete cascade,
  kind text not null check (kind in ('diff', 'report.md', 'report.json')),
  content text not null,
  written_at timestamptz not null default now(),
  primary key (run_id, kind)
);

do $$
declare
  name text;
begin
  foreach name in array array['hosts', 'run_files'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy engine on app.%I to devflow_engine using (true) with check (true)', name);
    execute format('grant select on app.%I to authenticated', name);
    execute format('grant select, insert, update, delete on app.%I to devflow_engine', name);
  end loop;
end
$$;
create policy members on app.hosts for select to authenticated
  using (team_id is null or team_id in (select app.my_teams()));
create policy members on app.run_files for select to authenticated using (team_id in (select app.my_teams()));
revoke execute on function app.host_state(app.hosts) from public;
grant execute on function app.host_state(app.hosts) to authenticated, devflow_engine, devflow_worker;

-- Draining or removing a machine stops the work of others, so it is for admins of its team. One without a team serves all of
-- them: the caller must be an admin in each of their own teams, and in each team that has unfinished runs there.
create function app.may_manage_host(wanted text) returns boolean
language sql stable security definer set search_path = ''
begin atomic
  select exists (select from app.my_admin_teams()) and not exists (
    select from app.hosts h join app.teams t on t.id = h.team_id or (h.team_id is null and (
        t.id in (select app.my_teams()) or exists (
          select from app.runs r where r.team_id = t.id and r.host = h.host
            and r.state not in ('completed', 'failed', 'aborted'))))
    where h.host = wanted and t.id not in (select app.my_admin_teams()))
  and app.has_scope('manage');
end;
revoke execute on function app.may_manage_host(text) from public;
grant execute on function app.may_manage_host(text) to authenticated;

-- Workers --------------------------------------------------------------------------------------------------------------

alter table app.access_tokens
  drop constraint access_tokens_scopes_check,
  add check (scopes in ('{read}', '{read,write}', '{worker}'));

-- The teams that a worker's token is for. The token travels with each transaction, so revoking it takes everything away at
-- once, and the worker cannot name a team that it was not given.
create function app.worker_teams() returns setof uuid
language sql stable security definer set search_path = ''
begin atomic
  select t.team_id from app.access_tokens t
  join app.team_members m on m.team_id = t.team_id and m.user_id = t.user_id
  where t.token_hash = app.hash_of(coalesce(current_setting('app.worker_token', true), ''))
    and 'worker' = any (t.scopes) and t.revoked_at is null and t.expires_at > now();
end;
revoke execute on function app.worker_teams() from public;
grant execute on function app.worker_teams() to devflow_worker;

-- A function that acts with its owner's rights sees the role of its caller only here.
create function app.is_worker() returns boolean
language sql stable set search_path = ''
return session_user = 'devflow_worker' or current_setting('role', true) = 'devflow_worker';
revoke execute on function app.is_worker() from public;

-- As in the migration "foundation", for one caller more: a worker is nobody's member and appends to the logs of its token's
-- teams, which the trigger below makes sure of.
create or replace function app.append_changes(team uuid, change_kind text, entities uuid[], change_op text default 'upsert')
returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  amount int := cardinality(entities);
  last_seq bigint;
begin
  -- `role` is what the request took with `set local role`; a definer function does not change it.
  if coalesce(current_setting('role', true), '') <> 'devflow_engine' and not app.is_worker() then
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

create function app.changes_of_own_teams() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if app.is_worker() and new.team_id not in (select app.worker_teams()) then
    raise insufficient_privilege using message = 'this worker''s token is for another team', detail = 'scope_missing';
  end if;
  return new;
end
$$;
revoke execute on function app.changes_of_own_teams() from public;
create trigger of_own_teams before insert on app.changes for each row execute function app.changes_of_own_teams();

grant usage on schema app to devflow_worker;
do $$
declare
  one record;
  shared text;
begin
  -- Everything of a run, as the engine may, in the teams of the token only.
  for one in
    select c.relname, string_agg(a.privilege_type, ', ') as rights
    from pg_class c cross join aclexplode(c.relacl) a
    where c.relnamespace = 'app'::regnamespace and a.grantee = 'devflow_engine'::regrole and c.relname = any (array['runs',
      'run_inputs', 'run_bindings', 'run_phases', 'run_events', 'approval_requests', 'approval_decisions', 'sessions',
      'transcript_chunks', 'artifacts', 'commands', 'review_findings', 'run_usage', 'permission_requests',
      'permission_rules', 'session_messages', 'notifications', 'audit_findings', 'run_comments', 'run_attachments',
      'run_wakes', 'run_files', 'hosts'])
    group by c.relname
  loop
    execute format('grant %s on app.%I to devflow_worker', one.rights, one.relname);
    execute format('create policy worker on app.%I to devflow_worker using (team_id in (select app.worker_teams()))
      with check (team_id in (select app.worker_teams()))', one.relname);
  end loop;
  -- Definitions are everybody's; a worker only reads them.
  foreach shared in array array['workflow_templates', 'agent_personas'] loop
    execute format('grant select on app.%I to devflow_worker', shared);
    execute format('create policy worker on app.%I for select to devflow_worker using (true)', shared);
  end loop;
end
$$;
grant select (id, name) on app.users to devflow_worker;
create policy worker on app.users for select to devflow_worker using (id in (
  select m.user_id from app.team_members m where m.team_id in (select app.worker_teams())));
grant select on app.team_members to devflow_worker;
create policy worker on app.team_members for select to devflow_worker using (team_id in (select app.worker_teams()));
grant execute on function app.append_changes(uuid, text, uuid[], text) to devflow_worker;
grant execute on function app.iso(timestamptz) to devflow_worker;

-- Tokens: those of workers are made by admins, because whoever has one sees and changes every run of the team.
create or replace function api.create_token(team_id uuid, name text, scopes text[] default '{read}', days int default 90)
returns api.new_access_token
language plpgsql security definer set search_path = ''
as $$
declare
  secret text := app.new_secret(case when 'worker' = any (create_token.scopes) then 'dfw_' else 'dft_' end);
  wanted text[] := case
    when 'worker' = any (create_token.scopes) then '{worker}'::text[]
    when 'write' = any (create_token.scopes) then '{read,write}' else '{read}' end;
  answer api.new_access_token;
begin
  perform app.require_member(team_id, 'manage');
  if not coalesce(create_token.scopes, '{read}') <@ '{read,write,worker}'::text[]
     or (wanted = '{worker}' and cardinality(create_token.scopes) > 1) then
    raise invalid_parameter_value using message = 'the scopes of a token are read and write, or worker alone';
  end if;
  if wanted = '{worker}' then
    perform app.require_admin(team_id);
  end if;
  if coalesce(days, 90) not between 1 and 365 then
    raise invalid_parameter_value using message = 'a token is valid for 1 to 365 days';
  end if;
  insert into app.access_tokens as t (team_id, user_id, name, scopes, token_hash, expires_at)
  values (create_token.team_id, auth.uid(), create_token.name, wanted, app.hash_of(secret),
          now() + make_interval(days => coalesce(days, 90)))
  returning t.id, secret, t.name, t.scopes, t.expires_at into answer;
  perform app.append_changes(create_token.team_id, 'access_token', array[answer.id]);
  return answer;
end
$$;
