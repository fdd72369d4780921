-- What a platform such as Supabase brings by itself: the roles of requests and the functions that read their claims.
-- Idempotent; runs before the numbered migrations, and again when its content changes. Where a platform owns `auth`,
-- that part is skipped.

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit'),
      -- Background work: sees every team, through policies of its own.
      ('devflow_engine', 'nologin noinherit'),
      -- Workers on other machines: sees the teams of its token. An administrator lets it log in.
      ('devflow_worker', 'nologin noinherit'),
      -- The server logs in as this one. It can do nothing until it has taken one of the roles above.
      ('devflow_server', 'login noinherit')
    ) as roles (name, attributes)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      begin
        execute format('create role %I %s', wanted.name, wanted.attributes);
      exception when duplicate_object or unique_violation then
        null; -- roles belong to the whole cluster: another database's Devflow made it just now
      end;
    end if;
  end loop;
end
$$;

do $$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'devflow_engine'] loop
    if not pg_has_role('devflow_server', wanted, 'set') then
      execute format('grant %I to devflow_server with inherit false, set true', wanted);
    end if;
  end loop;
end
$$;

do $$
begin
  if to_regnamespace('auth') is not null
     and coalesce(obj_description(to_regnamespace('auth'), 'pg_namespace'), '') <> 'made by devflow' then
    return; -- a platform owns it
  end if;

  create schema if not exists auth;
  comment on schema auth is 'made by devflow';

  -- After a transaction a local setting is left behind as an empty string, hence nullif.
  create or replace function auth.jwt() returns jsonb
    language sql stable
    return nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  create or replace function auth.uid() returns uuid
    language sql stable
    return (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid;
  create or replace function auth.role() returns text
    language sql stable
    return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role';

  revoke all on schema auth from public;
  revoke execute on all functions in schema auth from public;
  grant usage on schema auth to anon, authenticated, service_role, devflow_engine;
  grant execute on all functions in schema auth to anon, authenticated, service_role, devflow_engine;
end
$$;
