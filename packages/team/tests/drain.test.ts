/** Records from a machine to the real data plane, and what becomes of them on the way. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { temporaryFolder } from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { spoolStatus } from "../src/drain/index.ts";
import { spoolFolder } from "../src/spool/index.ts";
import { machineAt } from "../testing/machine.ts";
import { teachServer } from "../testing/teach-server.ts";

let it: TeamServer;
beforeAll(async () => {
  it = await startTeamServer();
}, 120_000);
afterAll(() => it.stop(), 60_000);

const machine = (as: "owner" | "member" | "stranger" = "owner", team = it.teamId) =>
  machineAt(
    temporaryFolder(),
    { here: { url: it.url, token: it[as].token } },
    { server: "here", team, user: it[as].id },
  );
const idOf = (outcome: { spooled: boolean; id?: string }) => outcome.id ?? "not spooled";
const stored = async (ids: readonly string[]) =>
  (await it.admin<{ id: string }[]>`select id from app.records where id = any(${[...ids]}::uuid[]) order by id`).map(
    ({ id }) => id,
  );

describe("a record", () => {
  test("that is claimed while the queue is counted is counted once", async () => {
    const m = machine();
    await m.spool({});
    const folder = spoolFolder(m.home);
    const [name = ""] = readdirSync(folder.new);
    // What two looks see, before and after a drain has taken it.
    writeFileSync(join(folder.cur, name), readFileSync(join(folder.new, name)));
    expect(await spoolStatus(folder)).toMatchObject({ queued: 1, waiting: 0, dead: 0 });
  });

  test("is a private file, and is in the team store after a drain", async () => {
    const m = machine();
    const id = idOf(await m.spool({ payload: { hello: "world" }, repo: "example.org/team/site", agent: "claude-1" }));
    const folder = join(m.home, "spool", "new");
    const [name = ""] = readdirSync(folder);
    expect([statSync(join(folder, name)).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await m.drain()).toEqual({ sent: 1, dead: 0, waiting: 0, obstacles: [] });
    expect(m.records()).toEqual({ sent: [id] });
    const [row] = await it.admin`
      select r.kind, r.payload, r.agent, r.user_id, p.canonical, p.name, r.claimed_at = r.at as is_exact
      from app.records r join app.repos p on p.id = r.repo_id where r.id = ${id}`;
    expect({ ...row }).toEqual({
      ...{ kind: "ping", payload: { hello: "world" }, agent: "claude-1", user_id: it.owner.id },
      ...{ canonical: "example.org/team/site", name: "site", is_exact: true },
    });
  });

  test("that is sent again counts once", async () => {
    const m = machine();
    const id = uuidv7();
    for (let times = 0; times < 3; times++) await m.spool({ id, payload: { same: true } });
    expect((await m.drain()).sent).toBe(3);
    await m.spool({ id, payload: { same: true } });
    expect((await m.drain()).sent).toBe(1);
    const [row] = await it.admin`
      select count(*)::int as records, (select count(*)::int from app.changes where entity_id = ${id}) as changes
      from app.records where id = ${id}`;
    expect({ ...row }).toEqual({ records: 1, changes: 1 });
  });

  test("with the id of another one is refused, and stays here with the reason", async () => {
    const m = machine();
    const id = uuidv7();
    await m.spool({ id, payload: { first: 1 } });
    await m.drain();
    await m.spool({ id, payload: { second: 2 } });
    expect((await m.drain()).dead).toBe(1);
    const [name = ""] = readdirSync(join(m.home, "spool", "dead")).filter((one) => one.endsWith(".why"));
    expect(JSON.parse(readFileSync(join(m.home, "spool", "dead", name), "utf8"))).toMatchObject({ reason: "id_reuse" });
    const [row] = await it.admin`select payload from app.records where id = ${id}`;
    expect(row?.payload).toEqual({ first: 1 });
  });

  test("that the server cannot read does not take the others along", async () => {
    const m = machine();
    const good = [
      idOf(await m.spool({})),
      idOf(await m.spool({ kind: "ship_log", payload: { version: "1.0", branch: "main" } })),
    ];
    const bad = [
      idOf(await m.spool({ kind: "ship_log", payload: { branch: "main" } })),
      idOf(await m.spool({ kind: "qa_report", payload: { url: "x", mode: "full", health_score: "high" } })),
    ];
    expect(await m.drain()).toMatchObject({ sent: 2, dead: 2 });
    expect(m.records()).toEqual({ sent: good.sort(), dead: bad.sort() });
    expect(await stored([...good, ...bad])).toEqual(good.sort());
  });

  test("of a kind that the server does not know waits, and does not hold up the others", async () => {
    const m = machine();
    const strange = idOf(await m.spool({ kind: "from_the_future" as "ping" }));
    const ping = idOf(await m.spool({}));
    expect(await m.drain()).toMatchObject({ sent: 1, waiting: 1 });
    expect(m.records()).toEqual({ wait: [strange], sent: [ping] });
    // Nothing has changed there: it is not even sent.
    m.pushes.length = 0;
    expect(await m.drain()).toMatchObject({ sent: 0, waiting: 0 });
    expect(m.pushes).toEqual([]);
    // The server learns the kind.
    const forget = await teachServer(it.admin, [{ kind: "from_the_future", schema_version: 1 }]);
    expect(await m.drain()).toMatchObject({ sent: 1 });
    await forget();
    expect(await stored([strange])).toEqual([strange]);
  });

  test("that is no record any more is set aside", async () => {
    const m = machine();
    const id = idOf(await m.spool({}));
    const folder = join(m.home, "spool", "new");
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"id":');
    expect(await m.drain()).toMatchObject({ sent: 0, dead: 1, obstacles: [] });
    expect(m.records()).toEqual({ dead: [id] });
  });
});

describe("a destination", () => {
  test("without a sign-in waits, while another one is served", async () => {
    const m = machine();
    const elsewhere = { server: "https://elsewhere.example", team: it.teamId, user: it.owner.id };
    const waiting = idOf(await m.spool({ to: elsewhere }));
    const sent = idOf(await m.spool({}));
    expect((await m.drain()).obstacles).toEqual([
      { to: elsewhere, reason: "not signed in to https://elsewhere.example" },
    ]);
    expect(m.records()).toEqual({ new: [waiting], sent: [sent] });
  });

  test("of a team that the person is not in keeps its records and loses its local copy", async () => {
    const m = machine("stranger");
    const id = idOf(await m.spool({}));
    const { obstacles } = await m.drain();
    expect(obstacles.map(({ reason }) => reason)).toEqual(["403: you are not a member of this team"]);
    expect(m.evicted.map(({ team }) => team)).toEqual([it.teamId]);
    expect(m.records()).toEqual({ new: [id] });
    expect(await stored([id])).toEqual([]);
  });
});

describe("a batch", () => {
  test("has at most 500 records, in the order in which they were written", async () => {
    const m = machine();
    const ids: string[] = [];
    for (let n = 0; n < 1_203; n++) ids.push(idOf(await m.spool({ payload: { n } })));
    expect((await m.drain()).sent).toBe(1_203);
    expect(m.pushes.map(({ records }) => records)).toEqual([500, 500, 203]);
    const rows = await it.admin<{ n: number }[]>`
      select (r.payload ->> 'n')::int as n from app.records r where r.id = any(${ids}::uuid[]) order by r.received_at, r.id`;
    expect(rows.map(({ n }) => n)).toEqual(ids.map((_, n) => n));
  });

  test("has at most 3.5 MB", async () => {
    const m = machine();
    for (let n = 0; n < 5; n++) await m.spool({ payload: { text: "x".repeat(1_000_000) } });
    expect((await m.drain()).sent).toBe(5);
    expect(m.pushes.map(({ records }) => records)).toEqual([3, 2]);
  });

  test("of a machine whose clock is a day off is stored with the server's time", async () => {
    for (const [skewMs, name] of [
      [-86_400_000, "behind"],
      [86_400_000, "ahead"],
    ] as const) {
      const now = () => Date.now() + skewMs;
      const to = { server: "here", team: it.teamId, user: it.owner.id };
      const m = machineAt(temporaryFolder(), { here: { url: it.url, token: it.owner.token } }, to, { now });
      const id = idOf(await m.spool({ payload: { name } }, now()));
      await m.drain();
      const [row] = await it.admin`
        select abs(extract(epoch from (r.at - r.received_at))) < 60 as is_corrected,
               abs(extract(epoch from (r.claimed_at - r.received_at))) > 80000 as was_wrong
        from app.records r where r.id = ${id}`;
      expect<object>({ name, ...row }).toEqual({ name, is_corrected: true, was_wrong: true });
    }
  });
});
