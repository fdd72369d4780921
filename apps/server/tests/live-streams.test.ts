import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { Change, StreamReady } from "@devflow/protocol";
import { openStream, type StreamClient } from "./stream-client.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let it: TestServer;
const open: StreamClient[] = [];
beforeAll(async () => {
  it = await startTestServer({ limits: { maxStreams: 40, maxWaitingBytes: 64 * 1024 } });
}, 60_000);
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => it.stop(), 60_000);

async function follow(path: string, token = it.token, lastEventId?: string, base = it.url): Promise<StreamClient> {
  const client = await openStream(`${base}${path}`, token, lastEventId);
  open.push(client);
  return client;
}
const team = () => `/sse/team/${it.teamId}`;

async function rpc(fn: string, args: unknown, token = it.token, base = it.url): Promise<Record<string, string>> {
  const response = await fetch(`${base}/rest/v1/rpc/${fn}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, string>;
}
const ping = (note = {}, base = it.url) => rpc("ping", { team_id: it.teamId, note }, it.token, base);

async function headSeq(): Promise<number> {
  const [row] = await it.admin`select seq::int from app.team_counters where team_id = ${it.teamId}`;
  return row?.seq;
}
/** Rows behind the server's back, as another process would write them without telling anybody. */
async function appendQuietly(amount: number, teamId = it.teamId): Promise<void> {
  await it.database.database.asEngine(
    (tx) =>
      tx`select app.append_changes(${teamId}::uuid, 'ping', array(select gen_random_uuid() from generate_series(1, ${amount}::int)))`,
  );
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("a change reaches a follower with its seq as id, in the agreed form", async () => {
  const stream = await follow(team());
  const ready = await stream.until((one) => one.event === "ready");
  const head = await headSeq();
  expect(StreamReady.parse(ready.data)).toEqual({ teams: { [it.teamId]: head }, resync: false });
  expect(ready.id).toBe(String(head));
  const { id } = await ping();
  const frame = await stream.until((one) => one.event === "change");
  expect(frame.id).toBe(String(head + 1));
  expect(Change.parse(frame.data)).toMatchObject({
    teamId: it.teamId,
    seq: head + 1,
    kind: "ping",
    op: "upsert",
    entityId: id as string,
  });
});

test("a follower that comes back with its last id gets everything in between once and in order, then ready", async () => {
  const first = await follow(team());
  await first.until((one) => one.event === "ready");
  await ping();
  await first.until((one) => one.event === "change");
  const last = Number(first.lastId());
  first.close();
  await appendQuietly(1300);
  const second = await follow(team(), it.token, String(last));
  await second.until((one) => one.event === "ready");
  expect(second.seqs()).toEqual(range(last + 1, last + 1300));
  expect(second.frames.findIndex((one) => one.event === "ready")).toBe(1300);
  await ping();
  await second.until((one) => one.data.seq === last + 1301);
  const byQuery = await follow(`${team()}?lastEventId=${last + 1299}`);
  await byQuery.until((one) => one.event === "ready");
  expect(byQuery.seqs()).toEqual([last + 1300, last + 1301]);
});

test("followers that join while many write miss nothing and see nothing twice", async () => {
  const from = await headSeq();
  const writing = (async () => {
    for (let round = 0; round < 12; round++) await Promise.all([ping(), ping(), ping(), ping(), ping()]);
  })();
  const followers: StreamClient[] = [];
  for (let index = 0; index < 12; index++) {
    followers.push(await follow(team(), it.token, String(from)));
    await Bun.sleep(10);
  }
  await writing;
  for (const one of followers) {
    await one.until((frame) => frame.data.seq === from + 60);
    expect(one.seqs()).toEqual(range(from + 1, from + 60));
  }
});

test("changes written by another process arrive through its announcement", async () => {
  const other = await it.startAnother({ times: { pollMs: 600_000 } });
  const quiet = await it.startAnother({ times: { pollMs: 600_000 } });
  const stream = await follow(team(), it.token, undefined, quiet.url);
  await stream.until((one) => one.event === "ready");
  const head = await headSeq();
  await ping({}, other.url);
  await stream.until((one) => one.data.seq === head + 1);
});

test("changes that nobody announced are found by the poll", async () => {
  const polling = await it.startAnother({ times: { pollMs: 150 } });
  const stream = await follow(team(), it.token, undefined, polling.url);
  await stream.until((one) => one.event === "ready");
  const head = await headSeq();
  await appendQuietly(3);
  await stream.until((one) => one.data.seq === head + 3);
  expect(stream.seqs()).toEqual(range(head + 1, head + 3));
});

test("a server that lost its listening connection catches up as soon as it listens again", async () => {
  const quiet = await it.startAnother({ times: { pollMs: 600_000 } });
  const stream = await follow(team(), it.token, undefined, quiet.url);
  await stream.until((one) => one.event === "ready");
  const head = await headSeq();
  await appendQuietly(2);
  const ended = await it.admin`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query ilike '%listen%devflow_changes%'`;
  expect(ended.length).toBeGreaterThan(0);
  await stream.until((one) => one.data.seq === head + 2);
  expect(stream.seqs()).toEqual([head + 1, head + 2]);
});

test("an id from a log that is gone is answered with ready and resync, so that the page fetches afresh", async () => {
  const head = await headSeq();
  const stream = await follow(team(), it.token, String(head + 1000));
  const ready = await stream.until((one) => one.event === "ready");
  expect(ready.data).toEqual({ teams: { [it.teamId]: head }, resync: true });
  await it.admin`delete from app.changes where team_id = ${it.teamId} and seq <= ${head - 5}`;
  const trimmed = await follow(team(), it.token, "1");
  expect((await trimmed.until((one) => one.event === "ready")).data).toMatchObject({ resync: true });
  expect(trimmed.seqs()).toEqual(range(head - 4, head));
});

test("strangers, unknown teams, other words and anonymous callers get no stream", async () => {
  const refused = async (path: string, token?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${it.url}${path}`, {
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    });
    const body = (await response.json()) as { error: { code: string } };
    return [response.status, body.error.code];
  };
  expect(await refused(team(), it.stranger.token)).toEqual([403, "forbidden"]);
  expect(await refused("/sse/team/00000000-0000-7000-8000-000000000000", it.token)).toEqual([403, "forbidden"]);
  expect(await refused("/sse/team/x", it.token)).toEqual([400, "input_invalid"]);
  expect(await refused(team(), it.token, { "last-event-id": "x" })).toEqual([400, "input_invalid"]);
  expect(await refused("/sse/global", it.token, { "last-event-id": "5" })).toEqual([400, "input_invalid"]);
  expect(await refused(team())).toEqual([401, "unauthenticated"]);
  expect(await refused("/sse/elsewhere", it.token)).toEqual([404, "not_found"]);
});

test("a member who is removed loses the stream at the next heartbeat", async () => {
  const checking = await it.startAnother({ times: { heartbeatMs: 200 } });
  await it.admin`insert into app.team_members (team_id, user_id, role) values (${it.teamId}, ${it.stranger.id}, 'member')`;
  const guest = await follow(team(), it.stranger.token, undefined, checking.url);
  const owner = await follow(team(), it.token, undefined, checking.url);
  await Promise.all([guest, owner].map((one) => one.until((frame) => frame.event === "ready")));
  await it.admin`delete from app.team_members where team_id = ${it.teamId} and user_id = ${it.stranger.id}`;
  expect(await guest.ended).toBe("closed");
  await owner.until((one) => one.event === "heartbeat");
});

test("a stream opened with a token ends when the token does", async () => {
  let now = Date.now();
  const aging = await it.startAnother({
    times: { heartbeatMs: 100 },
    clock: { now: () => now, sleep: (ms) => Bun.sleep(ms) },
  });
  const stream = await follow(team(), it.token, undefined, aging.url);
  await stream.until((one) => one.event === "heartbeat");
  now += 11 * 60_000;
  expect(await stream.ended).toBe("closed");
});

test("the global stream carries all teams of a person, resumes each, and takes up teams joined later", async () => {
  const second = await rpc("create_team", { name: "Second" });
  const stream = await follow("/sse/global");
  const ready = await stream.until((one) => one.event === "ready");
  expect(Object.keys(ready.data.teams as object).sort()).toEqual([it.teamId, second.id as string].sort());
  await ping();
  await rpc("ping", { team_id: second.id });
  await stream.until((one) => one.data.teamId === second.id);
  await stream.until((one) => one.data.teamId === it.teamId);
  const third = await rpc("create_team", { name: "Third" });
  await stream.until((one) => one.event === "ready" && Object.hasOwn(one.data.teams as object, third.id as string));
  await rpc("ping", { team_id: third.id });
  await stream.until((one) => one.data.teamId === third.id);
  const id = stream.lastId() ?? "";
  stream.close();
  await ping();
  await rpc("ping", { team_id: third.id });
  const again = await follow("/sse/global", it.token, id);
  await again.until((one) => one.event === "ready");
  expect(
    again.frames
      .filter((one) => one.event === "change")
      .map((one) => one.data.teamId as string)
      .sort(),
  ).toEqual([it.teamId, third.id as string].sort());
  await it.admin`delete from app.team_members where team_id = ${third.id as string}`;
  await it.admin`delete from app.team_members where team_id = ${second.id as string}`;
});

test("a person of very many teams follows as many as an id can name, and can come back with it", async () => {
  await it.admin`with made as (insert into app.teams (slug, name) select 'many-' || g, 'Many' from generate_series(1, 250) g returning id),
    counted as (insert into app.team_counters (team_id) select id from made)
    insert into app.team_members (team_id, user_id, role) select id, ${it.stranger.id}, 'member' from made`;
  const stream = await follow("/sse/global", it.stranger.token);
  const ready = await stream.until((one) => one.event === "ready");
  expect(Object.keys(ready.data.teams as object).length).toBe(200);
  const again = await follow("/sse/global", it.stranger.token, ready.id);
  expect((await again.until((one) => one.event === "ready")).data).toEqual(ready.data);
  await it.admin`delete from app.teams where name = 'Many'`;
});

test("a client that does not read is dropped, the others do not wait for it, and it resumes without loss", async () => {
  const head = await headSeq();
  const lazy = connect(it.server.port, "127.0.0.1");
  let received = "";
  lazy.setEncoding("utf8");
  lazy.on("error", () => {});
  lazy.write(
    `GET ${team()} HTTP/1.1\r\nHost: 127.0.0.1:${it.server.port}\r\nAuthorization: Bearer ${it.token}\r\n\r\n`,
  );
  await new Promise<void>((resolve) =>
    lazy.once("data", (text) => {
      received += text;
      lazy.pause();
      resolve();
    }),
  );
  const eager = await follow(team());
  await eager.until((one) => one.event === "ready");
  let written = 0;
  while (!it.logged().includes("stream dropped: too slow") && written < 120_000) {
    await appendQuietly(1000);
    written += 1000;
    await ping();
    written += 1;
    await eager.until((one) => one.data.seq === head + written);
  }
  expect(it.logged()).toContain("stream dropped: too slow");
  expect(eager.seqs()).toEqual(range(head + 1, head + written));
  lazy.on("data", (text) => {
    received += text;
  });
  lazy.resume();
  await new Promise<void>((resolve) => lazy.once("close", () => resolve()));
  const whole = received.slice(0, received.lastIndexOf("\n\n"));
  const seen = [...whole.matchAll(/^id: (\d+)\r?\nevent: change/gm)].map((match) => Number(match[1]));
  expect(seen).toEqual(range(head + 1, head + seen.length));
  expect(seen.length).toBeLessThan(written);
  const resumed = await follow(team(), it.token, String(head + seen.length));
  await resumed.until((one) => one.event === "ready");
  expect(resumed.seqs()).toEqual(range(head + seen.length + 1, head + written));
}, 60_000);

test("more streams than the limit are refused with a reason, and room is made when one leaves", async () => {
  const few = await it.startAnother({ limits: { maxStreams: 2 } });
  const first = await follow(team(), it.token, undefined, few.url);
  await follow("/sse/global", it.token, undefined, few.url);
  const third = await fetch(`${few.url}${team()}`, { headers: { authorization: `Bearer ${it.token}` } });
  expect([third.status, ((await third.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    "too_many_streams",
  ]);
  first.close();
  for (let tries = 0; tries < 50; tries++) {
    const next = await openStream(`${few.url}${team()}`, it.token);
    open.push(next);
    if (next.status === 200) return;
    await Bun.sleep(50);
  }
  throw new Error("no room was made");
});

test("a server that stops ends its streams properly and finishes what it was doing", async () => {
  const stopping = await it.startAnother();
  const stream = await follow(team(), it.token, undefined, stopping.url);
  await stream.until((one) => one.event === "ready");
  await it.admin.unsafe(
    "create function api.slow_ping(team_id uuid) returns api.ping_record language plpgsql as $$ begin perform pg_sleep(0.6); return api.ping(team_id); end $$; grant execute on function api.slow_ping to authenticated",
  );
  const half = connect(stopping.port, "127.0.0.1");
  half.on("error", () => {});
  half.write("GET /health HTTP/1.1\r\nHost:");
  const slow = rpc("slow_ping", { team_id: it.teamId }, it.token, stopping.url);
  await Bun.sleep(200);
  const cutOff = new Promise<void>((resolve) => half.once("close", () => resolve()));
  await Promise.all([stopping.stop(), stopping.stop()]);
  await cutOff;
  expect(await stream.ended).toBe("closed");
  expect((await slow).team_id).toBe(it.teamId);
  await expect(fetch(`${stopping.url}/health`)).rejects.toThrow();
});

test("a server that nobody follows holds no connection for listening: it begins with the first and ends after the last", async () => {
  const own = await startTestServer({ times: { heartbeatMs: 100 } });
  const listening = async () => {
    const [row] = await own.admin`
      select count(*)::int as count from pg_stat_activity
      where datname = ${own.database.name} and query ilike 'listen%'`;
    return row?.count;
  };
  try {
    expect(await listening()).toBe(0);
    for (let turn = 0; turn < 2; turn++) {
      const stream = await openStream(`${own.url}/sse/team/${own.teamId}`, own.token);
      await stream.until((one) => one.event === "ready");
      expect(await listening()).toBe(1);
      stream.close();
      while ((await listening()) !== 0) await Bun.sleep(20);
    }
  } finally {
    await own.stop();
  }
});
