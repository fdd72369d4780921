-- Members, invites, sign-ins and tokens of a team server.
--
-- A caller's claims may name one team and a list of scopes; then nothing outside of them is allowed. Claims without these
-- two (this machine's own, a platform's) stand for the whole person. Secrets are stored as SHA-256 only: each one has at
-- least 240 random bits, so that nothing slower is needed. No request role may read these tables; functions decide.

alter table app.users
  add column email_confirmed_at timestamptz,
  add column erased_at timestamptz;
-- An address that was only typed proves nothing and may be typed twice.
create unique index users_confirmed_email on app.users (lower(email)) where email_confirmed_at is not null;

-- Tables ------------------------------------------------------------------------------------------------------------

create table app.invites (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references app.teams on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  email text check (char_length(email) between 3 and 320),
  token_hash bytea not null unique,
  -- The token was only sent to `email`: whoever has it reads the mail of that address.
  mailed boolean not null default false,
  created_by uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by uuid references app.users on delete set null
);
create index invites_of_team on app.invites (team_id, created_at);

-- Personal access tokens, for CI: exchanged for a JWT of ten minutes.
create table app.access_tokens (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references app.teams on delete cascade,
  user_id uuid not null references app.users on delete cascade,
  name text not null check (char_length(name) between 1 and 200),
  scopes text[] not null check (scopes in ('{read}', '{read,write}')),
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index access_tokens_of_team on app.access_tokens (team_id, user_id);

-- One row per signed-in browser or terminal. A browser's secret stays the same; a terminal's refresh token is replaced at
-- each use: `current_hash` is the newest one, not used yet, `previous_hash` the one it was given for.
create table app.sign_ins (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app.users on delete cascade,
  kind text not null check (kind in ('web', 'terminal')),
  label text not null check (char_length(label) between 1 and 200),
  current_hash bytea not null,
  previous_hash bytea,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text check (revoked_because in ('signed out', 'token reused', 'removed', 'erased')),
  check ((revoked_at is null) = (revoked_because is null))
);
create index sign_ins_of_user on app.sign_ins (user_id);

-- RFC 8628: a terminal waits until a signed-in person has typed its code.
create table app.device_requests (
  id uuid primary key default gen_random_uuid(),
  device_hash bytea not null unique,
  user_code text not null unique check (user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'),
  label text not null check (char_length(label) between 1 and 200),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  interval_s int not null check (interval_s between 1 and 3600),
  polled_at timestamptz,
  decided_by uuid references app.users on delete cascade,
  decision text check (decision in ('approved', 'denied')),
  check ((decided_by is null) = (decision is null))
);

-- Links that work once: the first owner of a new server, signing in, confirming an address.
create table app.one_time_links (
  id uuid primary key default gen_random_uuid(),
  purpose text not null check (purpose in ('setup', 'sign_in', 'confirm_email')),
  user_id uuid references app.users on delete cascade,
  email text check (char_length(email) between 3 and 320),
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((purpose = 'setup') = (user_id is null))
);
create index one_time_links_of_user on app.one_time_links (user_id);

do $$
declare
  name text;
begin
  foreach name in array array['invites', 'access_tokens', 'sign_ins', 'device_requests', 'one_time_links'] loop
    execute format('alter table app.%I enable row level security', name);
    execute format('create policy engine on app.%I to devflow_engine using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on app.%I to devflow_engine', name);
  end loop;
end
$$;

-- What a token allows -----------------------------------------------------------------------------------------------

-- read: what members see. write: records and everything else that the change log lists. manage: members, invites, tokens;
-- only a person who has signed in has it, never a token of CI.
create function app.has_scope(wanted text) returns boolean
language sql stable
return coalesce(wanted = any (string_to_array(auth.jwt() ->> 'scope', ' ')), true);

create function app.require_scope(wanted text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not app.has_scope(wanted) then
    raise insufficient_privilege using
      message = format('this token does not have the scope %s', wanted),
      detail = 'scope_missing',
      hint = case wanted
        when 'manage' then 'Sign in as a person: devflow sync setup'
        else format('Create a token that has it: devflow team token create <name> --scope %s', wanted) end;
  end if;
end
$$;

-- A token for one team is a member of that team only, in every policy.
create or replace function app.my_teams() returns setof uuid
language sql stable security definer set search_path = ''
begin atomic
  select m.team_id from app.team_members m
  where m.user_id = auth.uid() and (auth.jwt() ->> 'team' is null or m.team_id::text = auth.jwt() ->> 'team');
end;

-- A team that is not there and a team of others answer alike. A client that is told `not_a_member` deletes its copy of the
-- team, so neither a missing sign-in nor the limits of a token may be told so.
create function app.require_member(team uuid, scope text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if auth.uid() is null then
    raise insufficient_privilege using message = 'sign in first', detail = 'signed_out';
  end if;
  if team is null then
    raise insufficient_privilege using message = 'no team was named', detail = 'no_team';
  end if;
  if team::text <> auth.jwt() ->> 'team' then
    raise insufficient_privilege using message = 'this token is for another team', detail = 'scope_missing';
  end if;
  if team not in (select app.my_teams()) then
    raise insufficient_privilege using message = 'you are not a member of this team', detail = 'not_a_member';
  end if;
  perform app.require_scope(scope);
end
$$;

create or replace function app.require_member(team uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_member(team, 'read');
end
$$;

-- The same for pushing and pulling records.
create or replace function app.require_team(team uuid, wanted_scope text default 'read') returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform app.require_member(team, wanted_scope);
end
$$;

-- Every write is in the change log, so this one place keeps tokens without the scope from writing, whatever the function.
create function app.changes_need_write() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform app.require_scope('write');
  return null;
end
$$;
create trigger need_write before insert on app.changes for each statement execute function app.changes_need_write();

-- The caller's role in a team whose members they may manage.
create function app.require_admin(team uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  mine text;
begin
  perform app.require_member(team, 'manage');
  select m.role into mine from app.team_members m where m.team_id = team and m.user_id = auth.uid();
  if mine = 'member' then
    raise insufficient_privilege using message = 'only an admin or owner of the team may do this',
      detail = 'not_an_admin', hint = 'See who they are: devflow team members';
  end if;
  return mine;
end
$$;

create function app.new_secret(prefix text) returns text
language sql volatile set search_path = ''
return prefix || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');

create function app.hash_of(secret text) returns bytea
language sql immutable set search_path = ''
return sha256(convert_to(secret, 'UTF8'));

-- Invites -----------------------------------------------------------------------------------------------------------

create type api.new_invite as (id uuid, token text, role text, email text, expires_at timestamptz);

-- The token is returned once and cannot be read again.
create function api.create_invite(team_id uuid, role text default 'member', email text default null, days int default 7)
returns api.new_invite
language plpgsql security definer set search_path = ''
as $$
declare
  mine text := app.require_admin(team_id);
  secret text := app.new_secret('dfi_');
  wanted text := coalesce(create_invite.role, 'member');
  answer api.new_invite;
begin
  if wanted = 'owner' and mine <> 'owner' then
    raise insufficient_privilege using message = 'only an owner may invite another owner', detail = 'not_an_owner';
  end if;
  if coalesce(days, 7) not between 1 and 30 then
    raise invalid_parameter_value using message = 'an invite is valid for 1 to 30 days';
  end if;
  insert into app.invites as i (team_id, role, email, token_hash, created_by, expires_at)
  values (create_invite.team_id, wanted, nullif(trim(create_invite.email), ''), app.hash_of(secret), auth.uid(),
          now() + make_interval(days => coalesce(days, 7)))
  returning i.id, secret, i.role, i.email, i.expires_at into answer;
  perform app.append_changes(create_invite.team_id, 'invite', array[answer.id]);
  return answer;
end
$$;

create function api.list_invites(team_id uuid)
returns table (id uuid, role text, email text, created_by uuid, created_by_name text, created_at timestamptz,
               expires_at timestamptz)
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform app.require_admin(list_invites.team_id);
  return query
    select i.id, i.role, i.email, i.created_by, u.name, i.created_at, i.expires_at
    from app.invites i join app.users u on u.id = i.created_by
    where i.team_id = list_invites.team_id and i.used_at is null and i.expires_at > now()
    order by i.created_at, i.id
    limit 1000;
end
$$;

create function api.revoke_invite(team_id uuid, invite_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.require_admin(revoke_invite.team_id);
  delete from app.invites i
  where i.team_id = revoke_invite.team_id and i.id = revoke_invite.invite_id and i.used_at is null;
  if not found then
    raise sqlstate 'PT404' using message = 'there is no such invite', hint = 'List them: devflow team invites';
  end if;
  perform app.append_changes(revoke_invite.team_id, 'invite', array[invite_id], 'delete');
end
$$;

-- Makes a person a member; an invite works once, also when two take it at the same moment. A member who takes one keeps
-- the role they have.
create function app.take_invite(secret text, taker uuid) returns api.team
language plpgsql security definer set search_path = ''
as $$
declare
  taken record;
  answer api.team;
begin
  update app.invites i set used_at = now(), used_by = taker
  where i.token_hash = app.hash_of(secret) and i.used_at is null and i.expires_at > now()
  returning i.team_id, i.role into taken;
  if not found then
    raise sqlstate 'PT410' using message = 'this invite was used or revoked, or it has expired',
      hint = 'Ask for another one.';
  end if;
  insert into app.team_members (team_id, user_id, role) values (taken.team_id, taker, taken.role)
  on conflict (team_id, user_id) do nothing;
  perform app.append_changes(taken.team_id, 'member', array[taker]);
  select t.id, t.slug, t.name, m.role into answer
  from app.teams t join app.team_members m on m.team_id = t.id and m.user_id = taker
  where t.id = taken.team_id;
  return answer;
end
$$;

create function api.accept_invite(token text) returns api.team
language plpgsql security definer set search_path = ''
as $$
begin
  if auth.uid() is null then
    raise insufficient_privilege using message = 'sign in first', detail = 'signed_out';
  end if;
  perform app.require_scope('manage');
  if auth.jwt() ->> 'team' is not null then
    raise insufficient_privilege using message = 'this token is for one team only', detail = 'scope_missing';
  end if;
  -- A person who comes from a platform's sign-in is first seen here.
  insert into app.users (id, name, email)
  values (auth.uid(), coalesce(auth.jwt() ->> 'name', auth.jwt() ->> 'email', 'Somebody'), auth.jwt() ->> 'email')
  on conflict (id) do nothing;
  return app.take_invite(token, auth.uid());
end
$$;

-- Members -----------------------------------------------------------------------------------------------------------

-- Serialises changes of a team's members, and keeps the last owner. Weaker than `for update`, so that records of the team
-- can be written meanwhile.
create function app.lock_members(team uuid, without uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform from app.teams t where t.id = team for no key update;
  if exists (select from app.team_members m where m.team_id = team and m.user_id = without and m.role = 'owner')
     and not exists (
       select from app.team_members m where m.team_id = team and m.user_id <> without and m.role = 'owner') then
    raise sqlstate 'PT409' using message = 'this is the last owner of the team',
      hint = 'Make somebody else an owner first: devflow team role <member> owner';
  end if;
end
$$;

create function app.require_other_member(team uuid, other uuid) returns text
language plpgsql stable security definer set search_path = ''
as $$
declare
  theirs text;
begin
  select m.role into theirs from app.team_members m where m.team_id = team and m.user_id = other;
  if theirs is null then
    raise sqlstate 'PT404' using message = 'there is no such member', hint = 'List them: devflow team members';
  end if;
  return theirs;
end
$$;

create function api.set_role(team_id uuid, user_id uuid, role text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mine text := app.require_admin(team_id);
  theirs text := app.require_other_member(team_id, user_id);
begin
  if mine <> 'owner' and 'owner' in (theirs, set_role.role) then
    raise insufficient_privilege using message = 'only an owner may make or unmake an owner', detail = 'not_an_owner';
  end if;
  if set_role.role is null or set_role.role not in ('owner', 'admin', 'member') then
    raise invalid_parameter_value using message = 'a role is owner, admin or member';
  end if;
  if theirs = set_role.role then
    return;
  end if;
  perform app.lock_members(set_role.team_id, set_role.user_id);
  -- Before the update: an admin who gives up the role may still record it.
  perform app.append_changes(set_role.team_id, 'member', array[set_role.user_id]);
  update app.team_members m set role = set_role.role
  where m.team_id = set_role.team_id and m.user_id = set_role.user_id;
end
$$;

-- Ends a membership and everything that depends on it. The records of the person stay with the team.
create function app.end_membership(team uuid, leaver uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform app.append_changes(team, 'member', array[leaver], 'delete');
  update app.access_tokens t set revoked_at = now()
  where t.team_id = team and t.user_id = leaver and t.revoked_at is null;
  delete from app.invites i where i.team_id = team and i.created_by = leaver and i.used_at is null;
  delete from app.team_members m where m.team_id = team and m.user_id = leaver;
  -- Somebody who belongs to no team any more has no business here.
  if not exists (select from app.team_members m where m.user_id = leaver) then
    update app.sign_ins s set revoked_at = now(), revoked_because = 'removed'
    where s.user_id = leaver and s.revoked_at is null;
    delete from app.one_time_links l where l.user_id = leaver;
    delete from app.device_requests d where d.decided_by = leaver;
  end if;
end
$$;

-- Everybody may leave; admins remove others, owners only by an owner.
create function api.remove_member(team_id uuid, user_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mine text;
  theirs text;
begin
  if user_id = auth.uid() then
    perform app.require_member(team_id, 'manage');
  else
    mine := app.require_admin(team_id);
    theirs := app.require_other_member(team_id, user_id);
    if theirs = 'owner' and mine <> 'owner' then
      raise insufficient_privilege using message = 'only an owner may remove an owner', detail = 'not_an_owner';
    end if;
  end if;
  perform app.lock_members(remove_member.team_id, remove_member.user_id);
  perform app.end_membership(remove_member.team_id, remove_member.user_id);
end
$$;

-- Removes a member and what the team holds about the person: their name and address when this was their last team. Rows
-- that others' records refer to stay, without a name.
create function api.erase_member(team_id uuid, user_id uuid) returns void
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
  -- Each leaves a tombstone, and the log carries the deletion to every cache.
  if to_regclass('app.records') is not null then
    perform api.forget_record(erase_member.team_id, r.id) from app.records r
    where r.team_id = erase_member.team_id and r.user_id = erase_member.user_id and r.erased_at is null;
  end if;
  delete from app.access_tokens t where t.team_id = erase_member.team_id and t.user_id = erase_member.user_id;
  perform app.end_membership(erase_member.team_id, erase_member.user_id);
  if not exists (select from app.team_members m where m.user_id = erase_member.user_id) then
    update app.users u set name = 'Erased member', email = null, email_confirmed_at = null, erased_at = now()
    where u.id = erase_member.user_id;
    delete from app.sign_ins s where s.user_id = erase_member.user_id;
  end if;
end
$$;

-- Personal access tokens --------------------------------------------------------------------------------------------

create type api.new_access_token as (id uuid, token text, name text, scopes text[], expires_at timestamptz);

-- The token is returned once and cannot be read again. It acts for its maker, in this team only.
create function api.create_token(team_id uuid, name text, scopes text[] default '{read}', days int default 90)
returns api.new_access_token
language plpgsql security definer set search_path = ''
as $$
declare
  secret text := app.new_secret('dft_');
  wanted text[] := case when 'write' = any (create_token.scopes) then '{read,write}'::text[] else '{read}' end;
  answer api.new_access_token;
begin
  perform app.require_member(team_id, 'manage');
  if not coalesce(create_token.scopes, '{read}') <@ '{read,write}'::text[] then
    raise invalid_parameter_value using message = 'the scopes of a token are read and write';
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

-- One's own; admins see everybody's.
create function api.list_tokens(team_id uuid)
returns table (id uuid, name text, scopes text[], user_id uuid, user_name text, created_at timestamptz,
               expires_at timestamptz, last_used_at timestamptz)
language plpgsql stable security definer set search_path = ''
as $$
declare
  mine text;
begin
  perform app.require_member(list_tokens.team_id, 'manage');
  select m.role into mine from app.team_members m where m.team_id = list_tokens.team_id and m.user_id = auth.uid();
  return query
    select t.id, t.name, t.scopes, t.user_id, u.name, t.created_at, t.expires_at, t.last_used_at
    from app.access_tokens t join app.users u on u.id = t.user_id
    where t.team_id = list_tokens.team_id and t.revoked_at is null and t.expires_at > now()
      and (t.user_id = auth.uid() or mine <> 'member')
    order by t.created_at, t.id
    limit 1000;
end
$$;

create function api.revoke_token(team_id uuid, token_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mine text;
begin
  perform app.require_member(revoke_token.team_id, 'manage');
  select m.role into mine from app.team_members m where m.team_id = revoke_token.team_id and m.user_id = auth.uid();
  update app.access_tokens t set revoked_at = now()
  where t.team_id = revoke_token.team_id and t.id = revoke_token.token_id and t.revoked_at is null
    and (t.user_id = auth.uid() or mine <> 'member');
  if not found then
    raise sqlstate 'PT404' using message = 'there is no such token', hint = 'List them: devflow team token list';
  end if;
  perform app.append_changes(revoke_token.team_id, 'access_token', array[token_id], 'delete');
end
$$;

-- The welcome -------------------------------------------------------------------------------------------------------

create type api.welcome as (members int, eval_runs_this_week int, last_ship_at timestamptz);

-- What a new member sees first; from the log, in which every record of a team has its kind.
create function api.team_welcome(team_id uuid) returns api.welcome
language plpgsql stable set search_path = ''
as $$
declare
  answer api.welcome;
begin
  perform app.require_member(team_welcome.team_id);
  select
    (select count(*) from app.team_members m where m.team_id = team_welcome.team_id),
    (select count(distinct c.entity_id) from app.changes c
     where c.team_id = team_welcome.team_id and c.kind = 'eval_run' and c.at > now() - interval '7 days'),
    (select max(c.at) from app.changes c where c.team_id = team_welcome.team_id and c.kind = 'ship_log')
  into answer;
  return answer;
end
$$;

-- Grants ------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema app from public;
revoke execute on all functions in schema api from public;

grant execute on function app.has_scope(text), app.require_scope(text), app.require_member(uuid, text), app.require_team(uuid, text)
  to authenticated, devflow_engine;
grant execute on function app.take_invite(text, uuid), app.new_secret(text), app.hash_of(text) to devflow_engine;

grant execute on function api.create_invite(uuid, text, text, int), api.list_invites(uuid),
  api.revoke_invite(uuid, uuid), api.accept_invite(text), api.set_role(uuid, uuid, text),
  api.remove_member(uuid, uuid), api.erase_member(uuid, uuid), api.create_token(uuid, text, text[], int),
  api.list_tokens(uuid), api.revoke_token(uuid, uuid), api.team_welcome(uuid) to authenticated;
