/** Servers and proxies that lie, hang and break: no record is lost, and nothing is believed that was not said by id. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { Secret } from "@devflow/core/secret";
import { temporaryFolder } from "@devflow/testkit";
import { cacheFolder, pullTeam } from "../src/cache/index.ts";
import type { DrainPorts } from "../src/drain/index.ts";
import { runDrainer } from "../src/drain/index.ts";
import { type FalseServer, reply, startFalseServer } from "../testing/false-server.ts";
import { type Machine, machineAt } from "../testing/machine.ts";

const to = { server: "there", team: uuidv7(), user: uuidv7() };
const stored = (ids: readonly string[]) => ids.map((id) => ({ id, status: "stored", reason: null }));

async function machineWith(
  server: Pick<FalseServer, "url">,
  amount: number,
  ports: Partial<DrainPorts> = {},
): Promise<{ m: Machine; ids: string[] }> {
  const access = { there: { url: server.url, token: new Secret("t0ken") } };
  const m = machineAt(temporaryFolder(), access, to, { random: () => 0, timeoutMs: 500, ...ports });
  const ids: string[] = [];
  for (let n = 0; n < amount; n++) {
    const outcome = await m.spool({ payload: { n } });
    if (outcome.spooled) ids.push(outcome.id);
  }
  return { m, ids };
}

describe("an answer", () => {
  test("that lists some of the records settles only those", async () => {
    await using server = await startFalseServer(({ ids }, response, before) =>
      reply(response, 200, stored(before === 0 ? ids.slice(0, 3) : [])),
    );
    const { m, ids } = await machineWith(server, 5);
    const report = await m.drain();
    expect(m.records()).toEqual({ new: ids.slice(3), sent: ids.slice(0, 3) });
    expect(report.obstacles.map(({ reason }) => reason)).toEqual(["the answer lists no record"]);
    // The second time nothing moved, so it did not ask a third time.
    expect(server.calls.map(({ ids: asked }) => asked.length)).toEqual([5, 2]);
  });

  test.each<[string, (ids: readonly string[]) => unknown]>([
    ["of other ids", () => stored([uuidv7(), uuidv7()])],
    [
      "with two statuses for one id",
      (ids) => [...stored(ids), ...ids.map((id) => ({ id, status: "rejected", reason: "x" }))],
    ],
    ["with a status that does not exist", (ids) => ids.map((id) => ({ id, status: "deleted", reason: null }))],
    ["that is no list", (ids) => ({ stored: ids })],
    ["that is a page of a proxy", () => "<html>Welcome to this hotel</html>"],
    ["that is null", () => null],
  ])("%s moves nothing", async (_name, body) => {
    await using server = await startFalseServer(({ ids }, response) => reply(response, 200, body(ids)));
    const { m, ids } = await machineWith(server, 2);
    expect((await m.drain()).obstacles).toHaveLength(1);
    expect(m.records()).toEqual({ new: ids });
  });

  test("that breaks off in the middle moves nothing", async () => {
    await using server = await startFalseServer(({ ids }, response) => {
      const text = JSON.stringify(stored(ids));
      response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length) });
      response.write(text.slice(0, text.length - 20));
      setTimeout(() => response.destroy(), 20);
    });
    const { m, ids } = await machineWith(server, 2);
    expect((await m.drain()).obstacles).toHaveLength(1);
    expect(m.records()).toEqual({ new: ids });
  });

  test("that never comes is waited for only so long", async () => {
    await using server = await startFalseServer(() => {});
    const { m, ids } = await machineWith(server, 2);
    expect((await m.drain()).obstacles.map(({ reason }) => reason)).toEqual(["no answer within 0.5 s"]);
    expect(m.records()).toEqual({ new: ids });
  });

  test("that never ends is cut off", async () => {
    await using server = await startFalseServer((_call, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write("[".repeat(1 << 20)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const { m, ids } = await machineWith(server, 1, { timeoutMs: 20_000 });
    expect((await m.drain()).obstacles.map(({ reason }) => reason)).toEqual(["the answer is larger than 16 MB"]);
    expect(m.records()).toEqual({ new: ids });
  });

  test("that sends elsewhere does not get the token there", async () => {
    await using other = await startFalseServer(({ ids }, response) => reply(response, 200, stored(ids)));
    await using server = await startFalseServer((_call, response) =>
      reply(response, 307, "", { location: `${other.url}/rest/v1/rpc/push_records` }),
    );
    const { m, ids } = await machineWith(server, 1);
    expect((await m.drain()).obstacles).toHaveLength(1);
    expect([other.calls, m.records()]).toEqual([[], { new: ids }]);
  });
});

describe("one record that breaks the server", () => {
  test.each([[500], [400], [413], [422]])("with %i is found by halving, and the others arrive", async (status) => {
    let poison = "";
    await using server = await startFalseServer(({ ids, name }, response) => {
      if (name === "record_kinds") return reply(response, 200, [{ kind: "ping", schema_version: 1 }]);
      if (ids.includes(poison))
        return reply(response, status, { code: "XX000", message: "boom", details: null, hint: null });
      reply(response, 200, stored(ids));
    });
    const { m, ids } = await machineWith(server, 9);
    poison = ids[5] ?? "";
    expect(await m.drain()).toEqual({ sent: 8, dead: 0, waiting: 1, obstacles: [] });
    expect(m.records()).toEqual({ wait: [poison], sent: ids.filter((id) => id !== poison) });
    // It waits until the server is another one, and holds nobody up.
    const before = server.calls.length;
    await m.drain();
    expect(server.calls.slice(before).map(({ name }) => name)).toEqual(["record_kinds"]);
  });

  test("500 is tried three times before anything is halved", async () => {
    let failures = 0;
    await using server = await startFalseServer(({ ids }, response) => {
      failures += 1;
      if (failures < 3) return reply(response, 500, { code: "XX000", message: "not yet" });
      reply(response, 200, stored(ids));
    });
    const { m } = await machineWith(server, 4);
    expect(await m.drain()).toMatchObject({ sent: 4 });
    expect(server.calls.map(({ ids }) => ids.length)).toEqual([4, 4, 4]);
  });

  test("a server that refuses everything is left alone, and no record is blamed", async () => {
    await using server = await startFalseServer((_call, response) =>
      reply(response, 500, { code: "XX000", message: "boom" }),
    );
    const { m, ids } = await machineWith(server, 4);
    expect((await m.drain()).obstacles.map(({ reason }) => reason)).toEqual(["500: boom"]);
    expect(m.records()).toEqual({ new: ids });
  });
});

describe("a refusal", () => {
  test.each([401, 403, 404])("%i of a proxy waits, and wipes nothing", async (status) => {
    await using server = await startFalseServer((_call, response) =>
      reply(response, status, "<h1>not_a_member 42501</h1>"),
    );
    const { m, ids } = await machineWith(server, 2);
    expect((await m.drain()).obstacles.map(({ reason }) => reason)).toEqual([
      `${status} without a reason; something between here and the server may block it`,
    ]);
    expect([m.records(), m.evicted]).toEqual([{ new: ids }, []]);
  });

  test("401 asks once for a new token", async () => {
    await using server = await startFalseServer(({ ids, authorization }, response) =>
      authorization === "Bearer new" ? reply(response, 200, stored(ids)) : reply(response, 401, {}),
    );
    const asked: boolean[] = [];
    const { m } = await machineWith(server, 1, {
      tokenFor: async (_server, _user, { renew = false } = {}) => {
        asked.push(renew);
        return { url: server.url, token: new Secret(renew ? "new" : "old") };
      },
    });
    expect(await m.drain()).toMatchObject({ sent: 1, obstacles: [] });
    expect(asked).toEqual([false, true]);
  });

  test("429 is obeyed: the drainer waits as long as it is told, then sends", async () => {
    await using server = await startFalseServer(({ ids }, response, before) =>
      before === 0 ? reply(response, 429, {}, { "retry-after": "7" }) : reply(response, 200, stored(ids)),
    );
    const waits: number[] = [];
    const { m, ids } = await machineWith(server, 1, { sleep: async (ms) => void waits.push(ms) });
    await runDrainer(m.ports, { giveUpMs: 60_000 });
    expect([waits, m.records()]).toEqual([[7_000], { sent: ids }]);
  });

  test("a server that stays away is asked less and less, and given up", async () => {
    await using server = await startFalseServer((_call, response) => reply(response, 503, {}));
    let nowMs = Date.now();
    const waits: number[] = [];
    const { m, ids } = await machineWith(server, 1, {
      random: () => 1,
      now: () => nowMs,
      sleep: async (ms) => {
        waits.push(ms);
        nowMs += ms;
      },
    });
    await runDrainer(m.ports, { giveUpMs: 200_000 });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(m.records()).toEqual({ new: ids });
  });
});

describe("a pull", () => {
  const of = { server: "there", team: to.team, repo: "example.org/a/b" };
  const pull = (home: string, url: string) =>
    pullTeam({ home, of, connection: { url, token: new Secret("t") }, now: Date.now });

  test("of a proxy's 403 keeps the cache; only the database's own word removes it", async () => {
    const home = temporaryFolder();
    mkdirSync(join(cacheFolder(home, of)), { recursive: true });
    await using proxy = await startFalseServer((_call, response) => reply(response, 403, { message: "not_a_member" }));
    expect(await pull(home, proxy.url)).toEqual({ is: "failed", reason: "403: not_a_member" });
    expect(existsSync(cacheFolder(home, of))).toBe(true);
    const body = { code: "42501", message: "you are not a member of this team", details: "not_a_member", hint: null };
    await using database = await startFalseServer((_call, response) => reply(response, 403, body));
    expect(await pull(home, database.url)).toEqual({ is: "evicted" });
    expect(existsSync(cacheFolder(home, of))).toBe(false);
  });

  test("of rows with another shape, or a path for a kind, writes nothing", async () => {
    const home = temporaryFolder();
    const row = { id: uuidv7(), kind: "../../../evil", schema_version: 1, at: new Date().toISOString() };
    const whole = {
      ...row,
      received_at: row.at,
      expires_at: null,
      agent: null,
      user_id: to.user,
      user_name: null,
      repo: null,
      payload: {},
    };
    await using server = await startFalseServer(({ name }, response) =>
      name === "snapshot" ? reply(response, 200, { cursor: "x", next: null, rows: [whole] }) : reply(response, 200, []),
    );
    expect(await pull(home, server.url)).toMatchObject({ is: "pulled", rows: 0 });
    expect(existsSync(join(home, "evil.json"))).toBe(false);
    await using wrong = await startFalseServer((_call, response) => reply(response, 200, { cursor: 1, rows: "many" }));
    expect(await pull(temporaryFolder(), wrong.url)).toEqual({ is: "failed", reason: "the answer has another shape" });
  });
});
