/** A disk that is full, read-only or not ours: the caller is told, nothing throws, and what was safe stays safe. */
import { describe, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { uuidv7 } from "@devflow/core/ids";
import { Secret } from "@devflow/core/secret";
import { canRun, temporaryFolder } from "@devflow/testkit";
import { fillDisk, freeDisk, lackOfSmallDisk, openSmallDisk } from "@devflow/testkit/small-disk";
import { cacheFolder, pullTeam, readRows } from "../src/cache/index.ts";
import { spool } from "../src/spool/index.ts";
import { reply, startFalseServer } from "../testing/false-server.ts";
import { machineAt } from "../testing/machine.ts";

const to = { server: "there", team: uuidv7(), user: uuidv7() };
const draft = { kind: "ping", to, repo: null, payload: { text: "x".repeat(5_000) } } as const;
const whyOf = async (home: string) => {
  const outcome = await spool(home, draft);
  return outcome.spooled ? "spooled" : outcome.why;
};

const smallDisk = await canRun("a small disk", lackOfSmallDisk);

describe.if(smallDisk)("a small disk", () => {
  test("that is full: spool says so and leaves nothing half; what was there is sent", async () => {
    const disk = openSmallDisk();
    try {
      await using server = await startFalseServer(({ ids }, response) =>
        reply(
          response,
          200,
          ids.map((id) => ({ id, status: "stored", reason: null })),
        ),
      );
      const m = machineAt(join(disk.path, "home"), { there: { url: server.url, token: new Secret("t") } }, to);
      const first = await m.spool({ payload: draft.payload });
      fillDisk(disk.path);
      expect(await whyOf(m.home)).toBe("full");
      expect(readdirSync(join(m.home, "spool", "new"))).toHaveLength(1);
      expect(await m.drain()).toMatchObject({ sent: 1, obstacles: [] });
      expect(server.calls.flatMap(({ ids }) => ids)).toEqual([first.spooled ? first.id : ""]);
      expect(m.records().new).toBeUndefined();
      freeDisk(disk.path);
      expect(await whyOf(m.home)).toBe("spooled");
      expect(await m.drain()).toMatchObject({ sent: 1 });
    } finally {
      disk.close();
    }
  });

  test("that is read-only: nothing is spooled, and the cache is read as it was", async () => {
    const disk = openSmallDisk();
    try {
      expect(await whyOf(disk.path)).toBe("spooled");
      const of = { server: "https://there.example", team: to.team, repo: null };
      const folder = cacheFolder(disk.path, of);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "ship_log.json"), "[]");
      execFileSync("mount", ["-o", "remount,ro", disk.path]);
      expect(await whyOf(disk.path)).toBe("unwritable");
      const connection = { url: "http://127.0.0.1:1", token: new Secret("t") };
      expect(await pullTeam({ home: disk.path, of, connection, now: Date.now })).toEqual({
        is: "unwritable",
        reason: "EROFS",
      });
      expect(await readRows(folder, "ship_log")).toEqual([]);
    } finally {
      disk.close();
    }
  });
});

test("a folder that is a link", async () => {
  const home = temporaryFolder();
  const elsewhere = temporaryFolder();
  symlinkSync(elsewhere, join(home, "spool"));
  expect(await whyOf(home)).toBe("unwritable");
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a folder of another user", () => {
  const home = temporaryFolder();
  const program = fileURLToPath(new URL("../testing/programs/spool-many.ts", import.meta.url));
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) chmodSync(home, 0o500);
  // Root may write everywhere, so as root it is tried by somebody else.
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    input: JSON.stringify({ home, to, amount: 1 }),
    env: {},
    cwd: "/",
    encoding: "utf8",
  });
  chmodSync(home, 0o700);
  expect([stdout, stderr.split(":")[0]]).toEqual(["", "unwritable"]);
});

test("what can never be sent is said at once", async () => {
  const home = temporaryFolder();
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  expect(await spool(home, { ...draft, payload: cyclic })).toMatchObject({ spooled: false, why: "unfit" });
  expect(await spool(home, { ...draft, id: "../../etc/passwd" })).toMatchObject({ spooled: false, why: "unfit" });
  const large = await spool(home, { ...draft, payload: { text: "x".repeat(3_500_000) } });
  expect(large).toEqual({
    ...{ spooled: false, why: "unfit" },
    problem: expect.stringMatching(/^it has \d+ bytes, and at most 3400000 can be sent$/),
  });
  expect(readdirSync(home)).toEqual([]);
});
