/** What is erased is nowhere any more: not in a table, a dump, a cache, a message or a digest; and it does not come back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { systemClock } from "@devflow/core/clock";
import { homeAt } from "@devflow/core/home";
import { uuidv7 } from "@devflow/core/ids";
import { backupDatabase } from "@devflow/db";
import { initRepository } from "@devflow/git";
import { rpcAnswer } from "@devflow/protocol";
import { runCli, type TemporaryHome, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { evalRecords } from "../../testing/eval-records.ts";
import { startTeam } from "../../testing/start-team.ts";
import { composeAlerts } from "../server/compose-alerts.ts";

const ada = temporaryHome();
const grace = temporaryHome();
const repo = "example.org/acme/shop";
let team: Awaited<ReturnType<typeof startTeam>>;
let teamId = "";
beforeAll(async () => {
  // No webhook can be reached, so that messages wait with their content.
  team = await startTeam({ work: async (parts) => composeAlerts(parts, { alertHosts: [] }), clock: systemClock });
  await checkout(ada);
  expect((await cli(ada, "sync", "init", team.setupUrl, "--name", "Ada", "--team", "Engines")).code).toBe(0);
  const { url } = (await cli(ada, "team", "invite", "--json")).json<{ url: string }>();
  await checkout(grace);
  const joined = await cli(
    grace,
    "sync",
    "setup",
    url,
    "--name",
    "Grace-canary",
    "--email",
    "canary-grace@example.com",
  );
  expect(joined.code).toBe(0);
  teamId = Object.values(authOf(ada).teams as Record<string, string>)[0] ?? "";
  const set = ["--webhook", "http://127.0.0.1:1/x", "--email", "canary-grace@example.com"];
  expect((await cli(ada, "team", "alerts", "set", ...set)).code).toBe(0);
}, 120_000);
afterAll(() => team?.stop(), 60_000);

const shop = (home: TemporaryHome) => join(home.path, "shop");
async function checkout(home: TemporaryHome): Promise<void> {
  const config = JSON.stringify({ server: team.url, team: "engines" });
  await initRepository(shop(home), { files: { ".devflow.json": config }, message: "x", env: home.environment() });
  const file = join(shop(home), ".git/config");
  const { appendFileSync } = await import("node:fs");
  appendFileSync(file, `[remote "origin"]\n\turl = https://${repo}.git\n`);
}
const cli = (home: TemporaryHome, ...words: string[]) => runCli(words, { home, cwd: shop(home) });
const authOf = (home: TemporaryHome) =>
  JSON.parse(readFileSync(homeAt(home.devflowHome).authFile, "utf8"))[team.url] as Record<string, unknown>;

async function push(home: TemporaryHome, records: readonly object[]): Promise<string[]> {
  const answer = await fetch(`${team.url}/rest/v1/rpc/push_records`, {
    method: "POST",
    headers: { authorization: `Bearer ${authOf(home).access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ team_id: teamId, records }),
  });
  return rpcAnswer("push_records")
    .parse(await answer.json())
    .map(({ status }) => status);
}

/** One record of every kind that has content, with the canary in it; and a regression, so that a message has it too. */
function everyKind(canary: string, at = new Date().toISOString()): { id: string; kind: string }[] {
  const hour = (n: number) => new Date(Date.parse(at) - (10 - n) * 3_600_000).toISOString();
  const about = { suite: `${canary} suite`, repo, names: (place: number) => `${canary} case ${place}`, author: canary };
  const runs = [
    evalRecords({ ...about, sha: "a1", at: hour(1), outcomes: "p".repeat(20) }),
    evalRecords({ ...about, sha: "a2", at: hour(2), outcomes: `ffffffffff${"p".repeat(10)}` }),
  ];
  const [run, text] = [uuidv7(), canary];
  const gate = { run_id: run, request_id: run, epoch: 1, text };
  const payloads: [string, object][] = [
    ["retro_snapshot", { date: at.slice(0, 10), window: "7d", metrics: { text }, tweetable: text }],
    ["review_triage", { date: at.slice(0, 10), reviewer: text, outcome: "fp", file_pattern: text, category: text }],
    ["qa_report", { url: `http://${text}`, mode: "full", issues: [{ text }] }],
    ["ship_log", { version: text, branch: text }],
    ["transcript", { session_id: text, turns: 1, messages: [text] }],
    ["run_progress", { run_id: run, rev: 1, state: "running", title: text }],
    ["approval_request", { ...gate, rev: 1, state: "pending" }],
    ["verdict", { ...gate, action: "approve" }],
    ["verdict_answer", { verdict_id: run, outcome: "applied", text }],
    ["ping", { text }],
  ];
  const others = payloads.map(([kind, payload]) => ({
    ...{ id: uuidv7(), kind, schema_version: 1, at, repo, agent: canary, payload },
  }));
  return [...runs.flatMap(({ records }) => records), ...others] as { id: string; kind: string }[];
}

async function dump(): Promise<string> {
  const file = join(temporaryFolder(), "all.backup");
  await backupDatabase({ database: team.database.database, file });
  return gunzipSync(readFileSync(file)).toString("utf8");
}
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
const until = async (condition: () => Promise<boolean>) => {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not yet");
    await Bun.sleep(20);
  }
};
const messages = async () =>
  (await team.admin`select from app.alert_messages where kind = 'regression' and ended_at is null`).length;

describe("erasing", () => {
  test("a record: its content is in no table, dump, cache, message or digest, and its copies are answered `erased`", async () => {
    const records = everyKind("canary-one");
    expect(new Set(await push(ada, records))).toEqual(new Set(["stored"]));
    await until(async () => (await messages()) > 0);
    await cli(grace, "sync", "pull");
    expect(filesWith(join(grace.devflowHome, "teams"), "canary-one").length).toBeGreaterThan(3);
    expect(await dump()).toContain("canary-one");
    expect((await cli(grace, "digest", "preview")).stdout).toContain("canary-one");
    const heads = records.filter(({ kind }) => kind !== "eval_results");
    for (const { id } of heads) expect((await cli(ada, "sync", "forget", id)).code).toBe(0);
    expect(await dump()).not.toContain("canary-one");
    expect(await messages()).toBe(0);
    await cli(grace, "sync", "pull");
    expect(filesWith(grace.devflowHome, "canary-one")).toEqual([]);
    expect((await cli(grace, "digest", "preview")).stdout).not.toContain("canary-one");
    expect(new Set(await push(ada, records))).toEqual(new Set(["erased"]));
    const left = await team.admin`
      select count(*)::int as count, count(hash)::int as hashes from app.records
      where id = any (${records.map(({ id }) => id)}::uuid[]) and erased_at is not null and payload is null and agent is null`;
    expect(left[0]).toMatchObject({ count: records.length, hashes: records.length });
  }, 180_000);

  test("what only a token of another person wrote, somebody who is no admin cannot", async () => {
    const [one] = everyKind("canary-two");
    await push(ada, [one as object]);
    const refused = await cli(grace, "sync", "forget", one?.id ?? "");
    expect([
      refused.code === 0,
      (await team.admin`select from app.records where id = ${one?.id ?? ""} and erased_at is null`).length,
    ]).toEqual([false, 1]);
    expect((await cli(ada, "sync", "forget", one?.id ?? "")).code).toBe(0);
  }, 60_000);

  test("a member: their records, name, address and where mail went to them", async () => {
    const records = everyKind("canary-three");
    expect(new Set(await push(grace, records))).toEqual(new Set(["stored"]));
    await until(async () => (await messages()) > 0);
    const before = await dump();
    expect(
      ["canary-three", "Grace-canary", "canary-grace@example.com"].filter((text) => !before.includes(text)),
    ).toEqual([]);
    const erased = await cli(ada, "team", "erase", "Grace-canary", "--yes");
    expect(erased.stdout).toBe("Grace-canary was erased from Engines.\n");
    const after = await dump();
    expect(["canary-three", "Grace-canary", "canary-grace@example.com"].filter((text) => after.includes(text))).toEqual(
      [],
    );
    expect(new Set(await push(ada, records))).toEqual(new Set(["erased"]));
  }, 180_000);
});

describe("retention", () => {
  test("is set by an admin, for a kind that there is", async () => {
    const set = (...words: string[]) => cli(ada, "team", "retention", "set", ...words);
    const shown = async (result: ReturnType<typeof set>) => {
      const { code, stdout, stderr } = await result;
      return `${code}\n${stdout}${stderr}`;
    };
    expect(await shown(cli(ada, "team", "retention", "show"))).toMatchInlineSnapshot(`
      "0
      All records are kept. To change it: devflow team retention set <kind> <days>
      "
    `);
    expect(await shown(set("transcrpt", "30"))).toMatchInlineSnapshot(`
      "65
      there is no kind of record transcrpt
      The kinds are: agent_edit, agent_read, approval_request, decision, decision_event, eval_run, feature_tag, handoff, intent, ping, qa_report, retro_snapshot, review_triage, run_progress, ship_log, transcript, verdict, verdict_answer
      "
    `);
    expect(await shown(set("eval_results", "30"))).toMatchInlineSnapshot(`
      "65
      there is no kind of record eval_results
      The kinds are: agent_edit, agent_read, approval_request, decision, decision_event, eval_run, feature_tag, handoff, intent, ping, qa_report, retro_snapshot, review_triage, run_progress, ship_log, transcript, verdict, verdict_answer
      "
    `);
    expect(await shown(set("transcript", "0"))).toMatchInlineSnapshot(`
      "65
      records are kept for 1 to 3650 days
      "
    `);
    expect(await shown(set("transcript", "soon"))).toMatchInlineSnapshot(`
      "64
      days: expected a number of days, or forever.
      See: devflow team retention set --help
      "
    `);
    expect(await shown(set("transcript", "1"))).toContain("after 1 day. What is older");
    expect(await shown(cli(ada, "team", "retention", "show"))).toContain("1 day\n");
    expect(await shown(set("transcript", "30"))).toMatchInlineSnapshot(`
      "0
      Engines erases each transcript after 30 days. What is older is erased within an hour.
      "
    `);
    expect(await shown(set("eval_run", "30"))).toMatchInlineSnapshot(`
      "0
      Engines erases each eval_run after 30 days. What is older is erased within an hour.
      "
    `);
    expect(await shown(cli(ada, "team", "retention", "show"))).toMatchInlineSnapshot(`
      "0
      KIND        KEPT FOR
      eval_run    30 days
      transcript  30 days
      "
    `);
  }, 60_000);

  test("erases what is older, eval runs with their results, and nothing else", async () => {
    const old = everyKind("canary-old", new Date(Date.now() - 40 * 86_400_000).toISOString());
    const fresh = everyKind("canary-fresh", new Date(Date.now() - 20 * 86_400_000).toISOString());
    await push(ada, [...old, ...fresh]);
    const cursor = await team.admin`select seq from app.team_counters where team_id = ${teamId}`;
    // As the server does every hour.
    for (let count = 1; count > 0; ) {
      const [row] = await team.database.database.asEngine(
        (tx) => tx<{ n: number }[]>`select app.apply_retention(now(), 1) as n`,
      );
      count = row?.n ?? 0;
    }
    const kinds = async (records: readonly { id: string }[]) =>
      (
        await team.admin<{ kind: string }[]>`
          select kind from app.records where erased_at is not null and id = any (${records.map(({ id }) => id)}::uuid[]) order by kind`
      ).map(({ kind }) => kind);
    expect(await kinds(old)).toEqual(["eval_results", "eval_results", "eval_run", "eval_run", "transcript"]);
    expect(await kinds(fresh)).toEqual([]);
    const deletes = await team.admin`
      select kind from app.changes where team_id = ${teamId} and seq > ${cursor[0]?.seq} and op = 'delete' order by kind`;
    expect(deletes.map(({ kind }) => kind)).toEqual(["eval_run", "eval_run", "transcript"]);
    expect(await dump()).not.toContain("canary-old case");
  }, 120_000);

  test("the log, sign-ins, terminal codes, links, invites and tokens that are long over go too; a pull then takes a snapshot", async () => {
    const tidy = (at: string) => team.database.database.asEngine((tx) => tx`select app.tidy(${at}::timestamptz)`);
    const counts = async () => {
      const [row] = await team.admin`
        select (select count(*)::int from app.changes) as changes, (select count(*)::int from app.sign_ins) as sign_ins`;
      return { ...row };
    };
    const before = await counts();
    await tidy(new Date().toISOString());
    expect(await counts()).toEqual(before);
    await team.admin`
      insert into app.device_requests (device_hash, user_code, label, created_at, expires_at, interval_s)
      values ('\x01', 'BCDFGHJK', 'x', now() - interval '1 hour', now() - interval '50 minutes', 5)`;
    await team.admin`update app.changes set at = at - interval '91 days' where seq <= 5`;
    await team.admin`
      insert into app.sign_ins (user_id, kind, label, current_hash, created_at, last_used_at, expires_at)
      select id, 'web', 'old', '\x02', now() - interval '90 days', now() - interval '90 days', now() - interval '60 days' from app.users limit 1`;
    await tidy(new Date().toISOString());
    expect(await counts()).toEqual({ ...before, changes: Number(before.changes) - 5 });
    expect(await team.admin`select from app.device_requests`).toHaveLength(0);
    expect((await cli(ada, "sync", "pull")).code).toBe(0);
    expect((await cli(ada, "sync", "show", "ship_log", "--json")).stdout).toContain("canary-fresh");
  }, 60_000);
});
