/** A database like Supabase's: its roles and `auth` exist, and `postgres` is not a superuser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { Secret } from "@devflow/core/secret";
import { type PostgresFolder, postgresFolder, quietLog } from "@devflow/testkit";
import { type PostgresCluster, startPostgres } from "./embedded-postgres.ts";
import { type ConnectionTarget, connectAsAdmin, type Database, openDatabase } from "./index.ts";

let place: PostgresFolder;
let cluster: PostgresCluster;
let database: Database;
let platform: ConnectionTarget;

beforeAll(async () => {
  place = await postgresFolder();
  cluster = await startPostgres({ folder: place.folder, choice: "auto", testing: true, log: quietLog });
  const sql = connectAsAdmin(cluster.admin, "postgres");
  await sql.unsafe(`
    create role supabase_admin login superuser createdb createrole replication bypassrls;
    create role postgres login createdb createrole replication bypassrls password 'pg-password';
    create role anon nologin noinherit;
    create role authenticated nologin noinherit;
    create role service_role nologin noinherit bypassrls;
    create role authenticator login noinherit password 'auth-password';
    grant anon, authenticated, service_role to authenticator;
    grant anon, authenticated, service_role to postgres with admin option;`);
  await sql.unsafe("create database supabase owner supabase_admin");
  await sql.unsafe("grant create on database supabase to postgres");
  await sql.end();
  const inside = connectAsAdmin(cluster.admin, "supabase");
  await inside.unsafe(`
    set role supabase_admin;
    create schema auth;
    create schema extensions;
    create schema storage;
    create table auth.users (id uuid primary key, email text);
    create table storage.objects (id uuid primary key);
    create function auth.uid() returns uuid language sql stable as $$
      select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''),
        (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'))::uuid $$;
    create function auth.role() returns text language sql stable as $$
      select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role' $$;
    create function auth.jwt() returns jsonb language sql stable as $$
      select coalesce(nullif(current_setting('request.jwt.claim', true), ''),
        nullif(current_setting('request.jwt.claims', true), ''))::jsonb $$;
    grant usage on schema auth to anon, authenticated, service_role, postgres;`);
  await inside.end();
  platform = { ...cluster.admin, user: "postgres", password: new Secret("pg-password") };
  database = await openDatabase({ target: platform, database: "supabase", log: quietLog });
});
afterAll(async () => {
  await database?.close();
  await place?.remove();
});

test("the platform's auth is unchanged, and its tables do not count as foreign content", async () => {
  const sql = connectAsAdmin(cluster.admin, "supabase");
  const [row] = await sql`
    select nspowner::regrole::text as owner, obj_description(oid, 'pg_namespace') as comment
    from pg_namespace where nspname = 'auth'`;
  expect({ ...row }).toEqual({ owner: "supabase_admin", comment: null });
  const [mine] = await sql`select tableowner as owner from pg_tables where schemaname = 'app' limit 1`;
  expect(mine?.owner).toBe("postgres");
  await sql.end();
});

test("the server serves as devflow_server, which bypasses no policy", async () => {
  const [row] = await database.sql`
    select session_user as name, rolbypassrls or rolsuper as powerful from pg_roles where rolname = session_user`;
  expect({ ...row }).toEqual({ name: "devflow_server", powerful: false });
});

test("PostgREST's own login role calls the same functions with the same claims", async () => {
  const ann = uuidv7();
  const claims = JSON.stringify({ sub: ann, role: "authenticated", email: "ann@example.org" });
  const sql = connectAsAdmin({ ...platform, user: "authenticator", password: new Secret("auth-password") }, "supabase");
  const asPostgrest = (statement: string) =>
    sql.begin(async (tx) => {
      await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
      return await tx.unsafe(statement);
    });
  const [team] = await asPostgrest("select * from api.create_team('Cloud')");
  expect(team).toMatchObject({ slug: "cloud", role: "owner" });
  const [ping] = await asPostgrest(`select * from api.ping('${team!.id}', '{"via":"postgrest"}')`);
  expect(ping).toMatchObject({ user_id: ann, note: { via: "postgrest" }, sanitised: false });
  await sql.end();
  const rows = await database.withClaims(
    { sub: ann, role: "authenticated" },
    (tx) => tx`select slug from api.my_teams()`,
  );
  expect([...rows]).toEqual([{ slug: "cloud" }]);
});

test("opening it again changes nothing", async () => {
  const again = await openDatabase({ target: platform, database: "supabase", migrate: false, log: quietLog });
  expect((await again.migrations()).applied).toBeGreaterThan(0);
  await again.close();
});
