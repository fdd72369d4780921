/**
 * kill -9 at every fault point of spool, drain, push and pull. Afterwards the server has exactly what was acknowledged to the writer,
 * once, with the content it had. `npm run soak` does each of them twenty times, at changing visits.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killAt, runProcess, type TemporaryHome, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { startTeamServer, type TeamServer } from "@devflow/testkit/team-server";
import { cacheFolder, pullTeam, readRows } from "../src/cache/index.ts";
import type { Destination } from "../src/spool/index.ts";
import { machineAt } from "../testing/machine.ts";
import { payloadNumber } from "../testing/payloads.ts";

const rounds = process.env.DEVFLOW_TEST_SOAK === undefined ? 1 : 20;
const amount = rounds === 1 ? 12 : 40;

let it: TeamServer;
let home: TemporaryHome;
beforeAll(async () => {
  it = await startTeamServer();
  home = temporaryHome({ isKept: true });
}, 120_000);
afterAll(async () => {
  await it.stop();
  home.remove();
}, 60_000);

const to = (): Destination => ({ server: "here", team: it.teamId, user: it.owner.id });
const program = (name: string) => [
  process.execPath,
  fileURLToPath(new URL(`../testing/programs/${name}.ts`, import.meta.url)),
];
const run = (name: string, options: object, env: Record<string, string> = {}) =>
  runProcess(program(name), { env: home.environment(env), stdin: JSON.stringify(options) });
const machine = (folder: string) => machineAt(folder, { here: { url: it.url, token: it.owner.token } }, to());

/** What the writer was told is safe: id to number. */
async function spoolMany(folder: string, env: Record<string, string> = {}) {
  const { stdout, killedBy, stderr } = await run("spool-many", { home: folder, to: to(), amount }, env);
  const written = new Map(
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ") as [string, string]),
  );
  return { written, killedBy, stderr };
}

/** Every acknowledged record is there once and unchanged; `more` were written and not acknowledged before the kill. */
async function expectOnServer(written: ReadonlyMap<string, string>, folder: string, more = 0): Promise<void> {
  const drained = await machine(folder).drain();
  expect(drained.obstacles).toEqual([]);
  const { sent = [], ...others } = machine(folder).records();
  expect(others).toEqual({});
  const missing = [...written.keys()].filter((id) => !sent.includes(id));
  expect({ missing, isAll: sent.length - written.size <= more }).toEqual({ missing: [], isAll: true });
  const expected = [...written].map(([id, n]) => ({ id, payload: JSON.stringify(payloadNumber(Number(n))) }));
  const rows = await it.admin<{ id: string; same: boolean; changes: number }[]>`
    select r.id, r.hash = sha256(convert_to('ping ' || (e.payload::jsonb)::text, 'UTF8')) as same,
           (select count(*)::int from app.changes c where c.entity_id = r.id) as changes
    from jsonb_to_recordset(${it.admin.json(expected)}) as e (id uuid, payload text) join app.records r on r.id = e.id
    order by r.id`;
  expect(rows.map((row) => ({ ...row }))).toEqual(
    [...written.keys()].sort().map((id) => ({ id, same: true, changes: 1 })),
  );
}

const visits = (round: number, most: number) => 1 + ((round * 7) % most);

describe.each(["spoolBeforeWrite", "spoolAfterWrite", "spoolBeforeRename", "spoolAfterRename", "spoolAfterSync"])(
  "a writer killed at %s",
  (point) => {
    test("loses nothing it was told is safe", async () => {
      for (let round = 0; round < rounds; round++) {
        const folder = temporaryFolder();
        const visit = visits(round + 1, amount - 1);
        const { written, killedBy } = await spoolMany(folder, killAt(point, visit));
        expect([killedBy, written.size]).toEqual(["SIGKILL", visit - 1]);
        const rest = await spoolMany(folder);
        await expectOnServer(new Map([...written, ...rest.written]), folder, 1);
      }
    }, 600_000);
  },
);

describe.each([
  ["drainAfterClaim", amount],
  ["drainBeforeSend", 1],
  ["drainAfterAnswer", 1],
  ["drainMidSettle", amount],
  ["drainBeforeRelease", 1],
] as const)("a drainer killed at %s", (point, most) => {
  test("leaves every record to the next one, and none twice", async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = temporaryFolder();
      const { written } = await spoolMany(folder);
      expect(written.size).toBe(amount);
      const options = { home: folder, url: it.url, token: it.owner.token.reveal(), to: to() };
      const killed = await run("drain-until-empty", options, killAt(point, visits(round, most)));
      expect(killed.killedBy).toBe("SIGKILL");
      await expectOnServer(written, folder);
    }
  }, 600_000);
});

test("a drainer killed at drainAfterReason sets a refused record aside with its reason, once", async () => {
  for (let round = 0; round < rounds; round++) {
    const folder = temporaryFolder();
    const refused = await machine(folder).spool({ kind: "ship_log", payload: { branch: "main" } });
    const good = await machine(folder).spool({});
    if (!refused.spooled || !good.spooled) throw new Error("not spooled");
    const options = { home: folder, url: it.url, token: it.owner.token.reveal(), to: to() };
    const killed = await run("drain-until-empty", options, killAt("drainAfterReason"));
    expect(killed.killedBy).toBe("SIGKILL");
    await machine(folder).drain();
    expect(machine(folder).records()).toEqual({ dead: [refused.id], sent: [good.id] });
    const reasons = readdirSync(join(folder, "spool", "dead")).filter((name) => name.endsWith(".why"));
    expect(reasons).toHaveLength(1);
  }
}, 600_000);

describe.each(["beforeCommit", "afterCommitBeforeReply"])("a server killed at %s", (point) => {
  test("has each record once after the next drain", async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = temporaryFolder();
      const { written } = await spoolMany(folder);
      const doomed = await it.startAnother(home.environment(killAt(point)));
      const drainer = machineAt(folder, { here: { url: doomed.url, token: it.owner.token } }, to());
      const { obstacles } = await drainer.drain();
      expect(obstacles).toHaveLength(1);
      expect((await doomed.process.ended).killedBy).toBe("SIGKILL");
      expect(Object.keys(drainer.records())).toEqual(["new"]);
      await expectOnServer(written, folder);
    }
  }, 600_000);
});

describe.each(["pullAfterFetch", "pullAfterFile", "pullBeforeMeta", "pullAfterMeta"])(
  "a pull killed at %s",
  (point) => {
    test("leaves files that can be read, and the next one completes them", async () => {
      for (let round = 0; round < rounds; round++) {
        const cache = temporaryFolder();
        const repo = `example.org/acme/${point.toLowerCase()}-${round}`;
        const of = { server: it.url, team: it.teamId, repo };
        const writer = machine(temporaryFolder());
        const ship = (n: number) =>
          writer.spool({ kind: "ship_log", repo, payload: { version: `${n}`, branch: "main" } });
        // In time, both pages of what follows are written at once; on a slow network each by itself.
        const isSlow = round % 4 > 1;
        const options = { home: cache, of, url: it.url, token: it.owner.token.reveal(), isSlow };
        const most = isSlow || point === "pullAfterFetch" ? 2 : 1;
        const versions = async () => {
          const rows = await readRows(cacheFolder(cache, of), "ship_log");
          return rows.map(({ payload }) => Number((payload as { version: string }).version)).sort((a, b) => a - b);
        };
        for (let n = 0; n < 5; n++) await ship(n);
        await writer.drain();
        // Once in the snapshot, once in what follows it.
        for (const [until, visit] of [
          [5, 1],
          [10, visits(round, most)],
        ] as const) {
          const killed = await run("pull-once", options, killAt(point, visit));
          expect(killed.killedBy).toBe("SIGKILL");
          for (const name of ["ship_log.json", ".meta.json"]) {
            const text = await Bun.file(join(cacheFolder(cache, of), name))
              .text()
              .catch(() => "[]");
            expect(() => JSON.parse(text)).not.toThrow();
          }
          expect((await run("pull-once", options)).json()).toMatchObject({ is: "pulled" });
          expect(await versions()).toEqual(Array.from({ length: until }, (_, n) => n));
          for (let n = until; n < until + 5; n++) await ship(n);
          await writer.drain();
        }
        const now = { home: cache, of, connection: { url: it.url, token: it.owner.token }, now: Date.now };
        await pullTeam(now);
        expect((await versions()).length).toBe(15);
      }
    }, 600_000);
  },
);

test("eight writers and three drainers at once: each record once", async () => {
  const folder = temporaryFolder();
  const options = { home: folder, url: it.url, token: it.owner.token.reveal(), to: to() };
  const writers = Array.from({ length: 8 }, () => spoolMany(folder));
  const drainers = Array.from({ length: 3 }, () => run("drain-until-empty", options));
  const written = new Map((await Promise.all(writers)).flatMap((one) => [...one.written]));
  expect(written.size).toBe(8 * amount);
  for (const { code, stderr } of await Promise.all(drainers)) expect([code, stderr]).toEqual([0, ""]);
  await expectOnServer(written, folder);
}, 600_000);

test("this file kills at every fault point of the package", () => {
  const own = readFileSync(fileURLToPath(import.meta.url), "utf8");
  const sources = [
    "spool/spool",
    "drain/drain-pass",
    "drain/drainer",
    "drain/spool-files",
    "cache/pull-team",
    "cache/team-cache",
  ];
  const points = sources.flatMap((name) => {
    const text = readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8");
    return [...text.matchAll(/faultPoint\("(\w+)"\)/g)].map(([, point]) => point ?? "");
  });
  expect(points.length).toBeGreaterThan(10);
  expect(points.filter((point) => !own.includes(`"${point}"`))).toEqual([]);
});
