/** A database like Supabase's: its roles and `auth` exist, and `postgres` is not a superuser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { uuidv7 } from "@devflow/core/ids";
import { quietLog } from "@devflow/testkit";
import { type SupabaseCluster, startSupabaseCluster } from "../testing/supabase-cluster.ts";
import { connectAsAdmin, type Database, openDatabase } from "./index.ts";

let cluster: SupabaseCluster;
let database: Database;

beforeAll(async () => {
  cluster = await startSupabaseCluster();
  database = await openDatabase({ target: cluster.platform, database: cluster.database, log: quietLog });
});
afterAll(async () => {
  await database?.close();
  await cluster?.stop();
});

test("the platform's auth is unchanged, and its tables do not count as foreign content", async () => {
  const sql = connectAsAdmin(cluster.admin, cluster.database);
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
  const sql = connectAsAdmin(cluster.authenticator, cluster.database);
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
  const again = await openDatabase({
    target: cluster.platform,
    database: cluster.database,
    migrate: false,
    log: quietLog,
  });
  expect((await again.migrations()).applied).toBeGreaterThan(0);
  await again.close();
});

test("an eval run that becomes complete through PostgREST waits to be compared, and a digest is queued by a job of the database", async () => {
  const ben = uuidv7();
  const sql = connectAsAdmin(cluster.authenticator, cluster.database);
  const asPostgrest = <T>(work: (tx: typeof sql) => Promise<T>) =>
    sql.begin(async (tx) => {
      const claims = JSON.stringify({ sub: ben, role: "authenticated", email: "ben@example.org" });
      await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`;
      return await work(tx as never);
    });
  const [team] = await asPostgrest((tx) => tx`select * from api.create_team('Alerts')`);
  const run = uuidv7();
  const at = new Date().toISOString();
  const totals = { total: 1, passed: 1, failed: 0, errors: 0, skipped: 0 };
  const cost = { models: [], actualUsd: 0, estimatedUsd: 0 };
  const records = [
    {
      id: run,
      kind: "eval_run",
      payload: { run: { suite: "s", runId: "r", label: "l", tier: "full", at, totals }, summary: { cost } },
    },
    {
      id: uuidv7(),
      kind: "eval_results",
      payload: { run, suite: "s", index: 0, last: true, results: [{ name: "c", status: "pass" }] },
    },
  ].map((one) => ({ ...one, schema_version: 1, at }));
  await asPostgrest((tx) => tx`select * from api.set_alerts(${team!.id}, 'https://example.org/hook', digest => true)`);
  const answers = await asPostgrest(
    (tx) => tx`select status from api.push_records(${team!.id}, ${tx.json(records as never)})`,
  );
  expect(answers.map(({ status }) => status)).toEqual(["stored", "stored"]);
  await expect(asPostgrest((tx) => tx`select webhook_url from app.alert_settings`)).rejects.toMatchObject({
    code: "42501",
  });
  await sql.end();
  // As pg_cron would call it, as the owner.
  const owner = connectAsAdmin(cluster.platform, cluster.database);
  expect(await owner`select run_id from app.eval_checks`).toMatchObject([{ run_id: run }]);
  const [queued] = await owner`select app.queue_digests(now() + interval '8 days') as count`;
  expect(queued?.count).toBe(1);
  await owner.end();
});
