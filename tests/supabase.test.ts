/**
 * A Supabase project without a Devflow server: its schema comes from Supabase's own command line, its alerts from edge functions on Deno.
 * The database is a real Postgres that is shaped like Supabase's.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { connectAsAdmin, type Database, openDatabase } from "@devflow/db";
import { migrations } from "@devflow/db/migrations";
import { type SupabaseCluster, startSupabaseCluster } from "@devflow/db/testing";
import { startMailServer } from "@devflow/server/testing";
import { npmProgramOrSkip, quietLog, runProcess, startProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { writeSupabaseFolder } from "../scripts/build/supabase-folder.ts";

const supabase = await npmProgramOrSkip("supabase");
const deno = await npmProgramOrSkip("deno");

const root = join(import.meta.dir, "..");
const work = temporaryFolder("supabase");
const folder = join(work, "supabase");
const home = temporaryHome();
let cluster: SupabaseCluster;

beforeAll(async () => {
  await writeSupabaseFolder(root, folder);
  cluster = await startSupabaseCluster();
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

const push = () =>
  runProcess([supabase ?? "", "db", "push", "--db-url", `${cluster.url}?sslmode=disable`, "--workdir", work, "--yes"], {
    env: home.environment({ DO_NOT_TRACK: "1", SUPABASE_TELEMETRY_DISABLED: "1" }),
    cwd: work,
  });

describe.skipIf(!supabase)("supabase db push", () => {
  test("applies every migration; Devflow then finds its own schema, and nothing to do", async () => {
    const pushed = await push();
    expect([pushed.code, pushed.stderr.split("\n").filter((line) => /error/i.test(line))]).toEqual([0, []]);
    const database = await openDatabase({
      target: cluster.platform,
      database: cluster.database,
      migrate: false,
      log: quietLog,
    });
    expect(await database.migrations()).toEqual({ applied: migrations.length, latest: migrations.at(-1)?.name ?? "" });
    await database.close();
    expect(readdirSync(join(folder, "migrations"))).toHaveLength(migrations.length + 1);
  }, 120_000);

  test("twice is once", async () => {
    const again = await push();
    expect([again.code, /up to date/i.test(again.stdout + again.stderr)]).toEqual([0, true]);
  }, 120_000);
});

describe.skipIf(!deno)("edge functions", () => {
  const serviceKey = "service-role-key";
  const heard: { readonly text: string }[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      heard.push((await request.json()) as { text: string });
      return new Response("ok");
    },
  });
  let database: Database;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let teamId = "";
  const ada = uuidv7();

  beforeAll(async () => {
    database = await openDatabase({ target: cluster.platform, database: cluster.database, log: quietLog });
    mail = await startMailServer();
    const [team] = await asAda((tx) => tx`select * from api.create_team('Engines')`);
    teamId = team?.id;
    await asAda(
      (tx) =>
        tx`select * from api.set_alerts(${teamId}, ${`http://127.0.0.1:${receiver.port}/hook`}, 'slack', ${["team@example.org"]}::text[], digest => true)`,
    );
  }, 60_000);
  afterAll(async () => {
    await receiver.stop(true);
    await mail?.stop();
    await database?.close();
  }, 60_000);

  /** As PostgREST would run it. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of whatever is asked.
  const asAda = (work: (tx: any) => Promise<any>): Promise<any> =>
    database.withClaims({ sub: ada, role: "authenticated", email: "ada@example.org" } as never, work);
  const pushRun = (sha: string, minute: number, outcomes: string) => {
    const at = new Date(Date.now() - (60 - minute) * 60_000).toISOString();
    const records = evalRecords(sha, at, outcomes);
    return asAda((tx) => tx`select * from api.push_records(${teamId}, ${tx.json(records)})`);
  };

  async function startFunction(name: string) {
    const port = await freePort();
    const env = home.environment({
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
      DENO_DIR: join(work, "deno"),
      DENO_NO_UPDATE_CHECK: "1",
      SUPABASE_DB_URL: `${cluster.url}?sslmode=disable`,
      SUPABASE_SERVICE_ROLE_KEY: serviceKey,
      DEVFLOW_SMTP_URL: mail.url().reveal(),
      DEVFLOW_MAIL_FROM: "Devflow <devflow@example.org>",
      DEVFLOW_ALERT_HOSTS: "127.0.0.1",
    });
    const file = join(folder, "functions", name, "index.js");
    const running = startProcess(
      [deno ?? "", "run", "--no-prompt", "--allow-net", "--allow-env", "--allow-sys", "--allow-read", file],
      { env, cwd: work },
    );
    await running.waitForOutput(/Listening on/);
    const call = async (key: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: "{}",
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    return {
      call,
      async [Symbol.asyncDispose](): Promise<void> {
        await running.stop();
      },
    };
  }

  test("are one file each, of what every edge runtime has", () => {
    for (const name of ["regression-alert", "weekly-digest"]) {
      const text = readFileSync(join(folder, "functions", name, "index.js"), "utf8");
      const modules = [...text.matchAll(/\bfrom\s*"(?:node:)?([\w/@.-]+)"/g)].map(([, module]) => module ?? "");
      expect([...new Set(modules)].sort()).toEqual([
        ...[
          "child_process",
          "crypto",
          "dns",
          "fs",
          "http",
          "https",
          "net",
          "os",
          "perf_hooks",
          "stream",
          "tls",
          "util",
        ],
      ]);
      expect([text.includes("Bun."), text.length < 2_000_000]).toEqual([false, true]);
    }
  });

  test("a suite that gets worse is told once, and once when it has recovered", async () => {
    await using alert = await startFunction("regression-alert");
    expect((await alert.call("the anon key")).status).toBe(401);
    await pushRun("a".repeat(40), 1, "p".repeat(40));
    await pushRun("b".repeat(40), 2, `${"p".repeat(20)}${"f".repeat(20)}`);
    expect(await alert.call(serviceKey)).toEqual({ status: 200, body: { compared: 2, sent: 2, failed: 0 } });
    expect(await alert.call(serviceKey)).toEqual({ status: 200, body: { compared: 0, sent: 0, failed: 0 } });
    await pushRun("c".repeat(40), 3, "p".repeat(40));
    expect(await alert.call(serviceKey)).toEqual({ status: 200, body: { compared: 1, sent: 2, failed: 0 } });
    expect(heard.map(({ text }) => text.split("\n")[0])).toEqual([
      "*Regression: support (standard), m-1 got worse on main of shop*",
      "*Recovery: support (standard), m-1 recovered on main of shop*",
    ]);
    expect(mail.mails.map(({ subject }) => subject)).toEqual([
      "Regression: support (standard), m-1 got worse on main of shop",
      "Recovery: support (standard), m-1 recovered on main of shop",
    ]);
  }, 120_000);

  test("the digest comes once a week, also if the function is called every hour", async () => {
    const before = heard.length;
    const owner = connectAsAdmin(cluster.admin, cluster.database);
    await owner`update app.alert_settings set digest_since = now() - interval '8 days'`;
    await owner.end();
    await using digest = await startFunction("weekly-digest");
    expect(await digest.call(serviceKey)).toEqual({ status: 200, body: { compared: 0, sent: 2, failed: 0 } });
    expect(await digest.call(serviceKey)).toEqual({ status: 200, body: { compared: 0, sent: 0, failed: 0 } });
    expect(heard.slice(before).map(({ text }) => /^\*Engines: the week .*\*$/m.test(text))).toEqual([true]);
  }, 120_000);
});

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}

/** An eval run of the suite `support` as records: its header and one chunk. One letter per case: p or f. */
function evalRecords(sha: string, at: string, outcomes: string): object[] {
  const id = uuidv7();
  const count = (letter: string) => [...outcomes].filter((one) => one === letter).length;
  const totals = { total: outcomes.length, passed: count("p"), failed: count("f"), errors: 0, skipped: 0 };
  const run = {
    ...{
      runId: id,
      suite: "support",
      label: "main",
      tier: "standard",
      at,
      gitSha: sha,
      gitBranch: "main",
      promptSha: null,
    },
    ...{ model: "m-1", host: "ci", judges: [], durationMs: 1000, totals, costs: [], source: "devflow", extra: {} },
  };
  const cost = { models: [], actualUsd: 0, estimatedUsd: 0, unpricedCalls: 0 };
  const header = {
    ...{ format: 1, run, pushedAt: at, contentSha: null, superseded: 0, losses: [], warnings: [] },
    summary: { totals, categories: {}, criteria: {}, durations: null, cost },
    commits: [{ sha, parents: [], author: "Grace", at, subject: "Change" }],
  };
  const results = [...outcomes].map((letter, place) => ({
    ...{ name: `case ${place}`, status: letter === "p" ? "pass" : "fail", inputSha: `sha-${place}`, repeat: 0 },
    ...{ scores: {}, durationMs: 10 },
  }));
  const about = { schema_version: 1, at, repo: "example.org/shop" };
  return [
    { id, kind: "eval_run", ...about, payload: header },
    {
      id: uuidv7(),
      kind: "eval_results",
      ...about,
      payload: { run: id, suite: "support", index: 0, last: true, results },
    },
  ];
}
