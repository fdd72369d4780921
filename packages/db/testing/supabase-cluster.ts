/**
 * A Postgres like Supabase's, for tests: its roles and `auth` exist before Devflow comes, and `postgres` is not a superuser.
 *
 * - `startSupabaseCluster()` a database without Devflow's schema; `platform` is its owner, `authenticator` PostgREST's login. `url` is the
 *   owner's, over TCP on loopback, as a project gives it out.
 */
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { Secret } from "@devflow/core/secret";
import { postgresFolder, quietLog } from "@devflow/testkit";
import { startPostgres } from "../src/embedded-postgres.ts";
import { type ConnectionTarget, connectAsAdmin } from "../src/index.ts";

export interface SupabaseCluster {
  /** The cluster's own superuser. */
  readonly admin: ConnectionTarget;
  readonly platform: ConnectionTarget;
  readonly authenticator: ConnectionTarget;
  readonly database: string;
  readonly url: string;
  stop(): Promise<void>;
}

const database = "postgres";
const password = "pg-password";

export async function startSupabaseCluster(): Promise<SupabaseCluster> {
  const place = await postgresFolder();
  const { admin } = await startPostgres({ folder: place.folder, choice: "auto", testing: true, log: quietLog });
  const sql = connectAsAdmin(admin, "postgres");
  await sql.unsafe(`
    create role supabase_admin login superuser createdb createrole replication bypassrls;
    create role postgres login createdb createrole replication bypassrls password '${password}';
    create role anon nologin noinherit;
    create role authenticated nologin noinherit;
    create role service_role nologin noinherit bypassrls;
    create role authenticator login noinherit password 'auth-password';
    grant anon, authenticated, service_role to authenticator;
    grant anon, authenticated, service_role to postgres with admin option;
    alter database postgres owner to supabase_admin;
    grant create, temporary on database postgres to postgres;
    grant create, usage on schema public to postgres;
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
  await sql.end();
  const { server, port } = await overTcp(admin);
  return {
    admin,
    database,
    platform: { ...admin, user: "postgres", password: new Secret(password) },
    authenticator: { ...admin, user: "authenticator", password: new Secret("auth-password") },
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`,
    async stop() {
      server.close();
      await place.remove();
    },
  };
}

/** The embedded Postgres listens on a socket of the file system only; a project is reached over TCP. */
function overTcp({ host, port }: ConnectionTarget): Promise<{ server: Server; port: number }> {
  const path = join(host, `.s.PGSQL.${port}`);
  const server = createServer((outside) => {
    const inside = connect(path);
    outside.on("error", () => inside.destroy()).pipe(inside);
    inside.on("error", () => outside.destroy()).pipe(outside);
  });
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => {
      server.unref();
      done({ server, port: (server.address() as { port: number }).port });
    });
  });
}
