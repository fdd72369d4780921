/** The team cache: what teammates pushed, on this machine, without a network. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { temporaryFolder } from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { type CacheOf, cacheFolder, pullTeam, readMeta, readResults, readRows } from "../src/cache/index.ts";
import { callRpc } from "../src/remote/index.ts";
import type { RecordKind } from "../src/spool/index.ts";
import { type Machine, machineAt } from "../testing/machine.ts";
import { evalRunPayload } from "../testing/payloads.ts";

let it: TeamServer;
let writer: Machine;
let home: string;
beforeAll(async () => {
  it = await startTeamServer();
}, 120_000);
afterAll(() => it.stop(), 60_000);
beforeEach(() => {
  const to = { server: "here", team: it.teamId, user: it.owner.id };
  writer = machineAt(temporaryFolder(), { here: { url: it.url, token: it.owner.token } }, to);
  home = temporaryFolder();
});

const repo = "example.org/acme/shop";
const of = (): CacheOf => ({ server: it.url, team: it.teamId, repo });
const folder = () => cacheFolder(home, of());
const pull = (as: "owner" | "member" | "stranger" = "member", more: object = {}) =>
  pullTeam({ home, of: of(), connection: { url: it.url, token: it[as].token }, now: Date.now, ...more });
const ship = (version: string, about: string | null = repo) =>
  writer.spool({ kind: "ship_log", repo: about, payload: { version, branch: "main" } });
const versions = async () =>
  (await readRows(folder(), "ship_log")).map(({ payload }) => (payload as { version: string }).version);
const shipsOnDisk = () => JSON.parse(readFileSync(join(folder(), "ship_log.json"), "utf8")).length as number;
const forget = async (id: string) =>
  await callRpc(
    { url: it.url, token: it.owner.token },
    "forget_record",
    { team_id: it.teamId, id },
    { timeoutMs: 5_000 },
  );

/** In front of the server; `name` is the function that is called. */
const proxyOf = (answer: (name: string, forward: () => Promise<Response>) => Response | Promise<Response>) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      return answer(pathname.split("/").at(-1) ?? "", async () => {
        const told = request.headers.toJSON();
        const names = ["authorization", "content-type", "content-profile"];
        const headers = Object.fromEntries(names.map((name) => [name, told[name] ?? ""]));
        const reply = await fetch(`${it.url}${pathname}`, { method: "POST", headers, body: await request.text() });
        return new Response(await reply.text(), { status: reply.status });
      });
    },
  });

describe("a pull", () => {
  test("starts with a snapshot and goes on with what changed; other repositories are left out", async () => {
    await ship("1.0");
    await ship("9.9", "example.org/acme/other");
    await writer.drain();
    expect(await pull()).toMatchObject({ is: "pulled", isSnapshot: true });
    expect((await versions())[0]).toBe("1.0");
    expect(await versions()).not.toContain("9.9");
    await ship("1.1");
    await writer.drain();
    expect(await pull()).toEqual({ is: "pulled", rows: 1, isSnapshot: false, erased: [] });
    expect((await versions()).slice(0, 2)).toEqual(["1.1", "1.0"]);
    expect(await pull()).toEqual({ is: "pulled", rows: 0, isSnapshot: false, erased: [] });
    const [row] = await readRows(folder(), "ship_log");
    expect(row).toMatchObject({ user_id: it.owner.id, user_name: "Ada", repo, kind: "ship_log" });
    const meta = await readMeta(folder());
    expect(meta?.kinds.ship_log).toEqual({ rows: (await versions()).length, latest: row?.at ?? null });
    for (const name of readdirSync(folder())) {
      expect([name, statSync(join(folder(), name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test("of a repository without records makes an empty cache, with the time", async () => {
    const other = { ...of(), repo: "example.org/acme/empty" };
    const pulled = await pullTeam({
      home,
      of: other,
      connection: { url: it.url, token: it.member.token },
      now: Date.now,
    });
    expect(pulled).toMatchObject({ is: "pulled", rows: 0, isSnapshot: true });
    expect(await readMeta(cacheFolder(home, other))).toMatchObject({ kinds: {}, cursor: expect.any(String) });
  });

  test("in small pages brings the same", async () => {
    for (let n = 0; n < 7; n++) await ship(`2.${n}`);
    await writer.drain();
    expect(await pull("member", { pageRows: 2 })).toMatchObject({ isSnapshot: true });
    const whole = await versions();
    for (let n = 7; n < 12; n++) await ship(`2.${n}`);
    await writer.drain();
    expect(await pull("member", { pageRows: 2 })).toMatchObject({ rows: 5, isSnapshot: false });
    expect(await versions()).toEqual(["2.11", "2.10", "2.9", "2.8", "2.7", ...whole]);
  });

  test("after a restore of the server, after the log was trimmed and with another role starts over", async () => {
    await ship("3.0");
    await writer.drain();
    await pull();
    await it.admin`select app.begin_epoch()`;
    expect(await pull()).toMatchObject({ isSnapshot: true });
    await it.admin`update app.team_members set role = 'admin' where user_id = ${it.member.id}`;
    expect(await pull()).toMatchObject({ isSnapshot: true });
    await it.admin`update app.team_members set role = 'member' where user_id = ${it.member.id}`;
    await pull();
    await ship("3.1");
    await writer.drain();
    await it.admin`delete from app.changes where team_id = ${it.teamId}`;
    expect(await pull()).toMatchObject({ isSnapshot: true });
    expect((await versions())[0]).toBe("3.1");
  });

  test("removes the copy of what was erased from the machine that sent it, also if the server fails afterwards", async () => {
    const sent = await ship("8.0");
    await writer.drain();
    const own = { home: writer.home };
    await pull("owner", own);
    if (!sent.spooled) throw new Error("not spooled");
    const copies = () =>
      readdirSync(join(writer.home, "spool/sent"), { recursive: true }).filter((name) =>
        String(name).includes(sent.id),
      );
    expect(copies()).toHaveLength(1);
    await forget(sent.id);
    await ship("8.1");
    await writer.drain();
    let asked = 0;
    using proxy = proxyOf((_name, forward) => (++asked > 1 ? new Response("busy", { status: 503 }) : forward()));
    const connection = { url: `http://127.0.0.1:${proxy.port}`, token: it.owner.token };
    expect(await pull("owner", { ...own, connection, pageRows: 1 })).toMatchObject({ is: "failed" });
    expect(copies()).toEqual([]);
  });

  test("removes what was erased, also if it missed the moment", async () => {
    const first = await ship("4.0");
    const second = await ship("4.1");
    await writer.drain();
    await pull();
    if (!first.spooled || !second.spooled) throw new Error("not spooled");
    await forget(first.id);
    expect(await pull()).toEqual({ is: "pulled", rows: 1, isSnapshot: false, erased: [first.id] });
    await forget(second.id);
    await it.admin`select app.begin_epoch()`;
    expect(await pull()).toMatchObject({ isSnapshot: true });
    expect((await versions()).filter((one) => one.startsWith("4."))).toEqual([]);
  });
});

describe("what stays", () => {
  test("the old cache, when the server is away or answers nonsense", async () => {
    await ship("5.0");
    await writer.drain();
    await pull();
    const before = await versions();
    const away = await pullTeam({
      ...{ home, of: of(), now: Date.now },
      connection: { url: "http://127.0.0.1:1", token: it.member.token },
    });
    expect(away).toMatchObject({ is: "failed" });
    expect(await versions()).toEqual(before);
  });

  test("what arrived before a server fails, also while a snapshot is taken; the next pull goes on behind it", async () => {
    await ship("5.1");
    await writer.drain();
    await pull();
    const before = await versions();
    for (let n = 0; n < 5; n++) await ship(`5.2.${n}`);
    await writer.drain();
    const asked: string[] = [];
    let then = (): Response => new Response("busy", { status: 503 });
    using proxy = proxyOf((name, forward) => {
      asked.push(name);
      return asked.length > 2 ? then() : forward();
    });
    const connection = { url: `http://127.0.0.1:${proxy.port}`, token: it.member.token };
    expect(await pull("member", { connection, pageRows: 2 })).toMatchObject({ is: "failed" });
    expect(await versions()).toEqual(["5.2.3", "5.2.2", "5.2.1", "5.2.0", ...before]);
    expect(await pull("member", { pageRows: 2 })).toMatchObject({ rows: 1, isSnapshot: false });
    for (let n = 0; n < 5; n++) await ship(`5.3.${n}`);
    await writer.drain();
    asked.length = 0;
    then = () => {
      const resync = Response.json({ cursor: null, resync: true, more: false, rows: [] });
      return asked.at(-1) === "pull" ? resync : new Response("busy", { status: 503 });
    };
    expect(await pull("member", { connection, pageRows: 2 })).toMatchObject({ is: "failed" });
    expect(asked).toEqual(["pull", "pull", "pull", "snapshot"]);
    expect((await versions()).slice(0, 5)).toEqual(["5.3.3", "5.3.2", "5.3.1", "5.3.0", "5.2.4"]);
  });

  test("what a slow server sent within the last second, at least: rows are written before all of them are there", async () => {
    await pull();
    for (let n = 0; n < 6; n++) await ship(`5.4.${n}`);
    await writer.drain();
    let nowMs = Date.now();
    const seen: number[] = [];
    // Half a second for each page.
    const now = () => {
      seen.push(shipsOnDisk());
      nowMs += 500;
      return nowMs;
    };
    const before = shipsOnDisk();
    expect(await pull("member", { pageRows: 1, now })).toMatchObject({ rows: 6, isSnapshot: false });
    expect([...new Set(seen.map((amount) => amount - before))]).toEqual([0, 2, 4]);
    expect(shipsOnDisk() - before).toBe(6);
  });

  test("a damaged file is written again", async () => {
    await ship("6.0");
    await writer.drain();
    await pull();
    writeFileSync(join(folder(), ".meta.json"), '{"pulledAt":');
    writeFileSync(join(folder(), "ship_log.json"), "[{");
    expect(await pull()).toMatchObject({ is: "pulled", isSnapshot: true });
    expect((await versions())[0]).toBe("6.0");
  });

  test("nothing of the team, for a person who is no longer in it", async () => {
    await pull();
    await it.admin`delete from app.team_members where user_id = ${it.member.id}`;
    expect(await pull()).toEqual({ is: "evicted" });
    expect(() => readdirSync(join(folder(), ".."))).toThrow();
    await it.admin`insert into app.team_members (team_id, user_id, role) values (${it.teamId}, ${it.member.id}, 'member')`;
  });
});

describe("an eval run", () => {
  const send = async (kind: RecordKind, id: string, payload: object) => {
    await writer.spool({ id, kind, repo, payload });
    await writer.drain();
  };
  const chunk = (run: string, index: number, last: boolean) => ({
    ...{ run, suite: "tone", index, last },
    results: [
      { name: `case ${index}`, status: index === 1 ? "fail" : "pass", category: null, repeat: 0, scores: { a: 0.5 } },
    ],
  });

  test("is there when its header and all of its chunks are, in whatever order they come", async () => {
    const run = uuidv7();
    const visible = async () => {
      await pull();
      return (await readRows(folder(), "eval_run")).some(({ id }) => id === run);
    };
    await send("eval_results", uuidv7(), chunk(run, 2, true));
    await send("eval_run", run, evalRunPayload({ suite: "tone", passed: 2, failed: 1 }));
    await send("eval_results", uuidv7(), chunk(run, 0, false));
    expect(await visible()).toBe(false);
    await send("eval_results", uuidv7(), chunk(run, 1, false));
    expect(await visible()).toBe(true);
    const results = await readResults(folder(), run);
    expect(results.map(({ name, status }) => [name, status])).toEqual([
      ["case 0", "pass"],
      ["case 1", "fail"],
      ["case 2", "pass"],
    ]);
    const [row] = await it.admin`select passed, failed, usd::float8 as usd, suite from app.eval_runs where id = ${run}`;
    expect({ ...row }).toEqual({ passed: 2, failed: 1, usd: 0.25, suite: "tone" });
  });

  test("that is sent again with another payload stays as it came first", async () => {
    const run = uuidv7();
    await send("eval_run", run, evalRunPayload({ suite: "tone", passed: 1, failed: 0 }));
    await send("eval_run", run, evalRunPayload({ suite: "redacted", passed: 1, failed: 0 }));
    expect(writer.records().dead).toBeUndefined();
    const [row] = await it.admin`select suite from app.eval_runs where id = ${run}`;
    expect(row?.suite).toBe("tone");
  });

  test("that is erased takes its results along, and a late chunk does not bring any back", async () => {
    const run = uuidv7();
    await send("eval_run", run, evalRunPayload({ suite: "secret-suite", passed: 1, failed: 0 }));
    await send("eval_results", uuidv7(), { ...chunk(run, 0, false), suite: "secret-suite" });
    await forget(run);
    const late = uuidv7();
    await send("eval_results", late, { ...chunk(run, 1, true), suite: "secret-suite" });
    // Not even kept here: it was erased for everybody.
    expect(writer.records().sent).not.toContain(late);
    const residue = await it.admin<{ table_name: string }[]>`
      select t.table_name from information_schema.tables t where t.table_schema = 'app' and t.table_type = 'BASE TABLE'
        and (xpath('/row/n/text()', query_to_xml(
          format('select count(*) as n from app.%I x where x::text like %L', t.table_name, '%secret-suite%'), false, true, '')))[1]::text::int > 0`;
    expect(residue.map(({ table_name }) => table_name)).toEqual([]);
  });
});

test("a transcript is for its author and the admins", async () => {
  const id = uuidv7();
  await writer.spool({ id, kind: "transcript", repo, payload: { session_id: "s1", turns: 3, tools: {} } });
  await writer.drain();
  const ask = async (as: "owner" | "member") => {
    const args = { team_id: it.teamId, kinds: ["transcript"] };
    const found = await callRpc({ url: it.url, token: it[as].token }, "snapshot", args, { timeoutMs: 5_000 });
    return found.is === "answered" ? (found.body as { rows: unknown[] }).rows.length : found;
  };
  expect([await ask("owner"), await ask("member")]).toEqual([1, 0]);
});

test("only the author and the admins can erase a record", async () => {
  const outcome = await ship("7.0");
  if (!outcome.spooled) throw new Error(outcome.problem);
  await writer.drain();
  const as = (token: typeof it.member.token) =>
    callRpc({ url: it.url, token }, "forget_record", { team_id: it.teamId, id: outcome.id }, { timeoutMs: 5_000 });
  expect(await as(it.member.token)).toMatchObject({ is: "refused", status: 403, details: "" });
  expect(await as(it.stranger.token)).toMatchObject({ is: "refused", status: 403, details: "not_a_member" });
  expect(await as(it.owner.token)).toMatchObject({
    is: "answered",
    body: { id: outcome.id, kind: "ship_log", records: 1 },
  });
  // A copy that comes late is answered, and not stored.
  await writer.spool({ id: outcome.id, kind: "ship_log", repo, payload: { version: "7.0", branch: "main" } });
  expect((await writer.drain()).sent).toBe(1);
  const [row] = await it.admin`select payload, hash is not null as has_hash from app.records where id = ${outcome.id}`;
  expect({ ...row }).toEqual({ payload: null, has_hash: true });
});
