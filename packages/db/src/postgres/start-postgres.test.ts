/** A real Postgres on its own folders: started, shared, killed and started again. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { postgresFolder, quietLog } from "@devflow/testkit";
import { usePostgres } from "../../testing/processes.ts";
import { findPostgres, postgresPlaces, startPostgres } from "../embedded-postgres.ts";
import { connectAsAdmin, openDatabase } from "../index.ts";

const folders: Awaited<ReturnType<typeof postgresFolder>>[] = [];
afterAll(() => Promise.all(folders.map((one) => one.remove())));

async function freshFolder(parent?: string): Promise<string> {
  const made = await postgresFolder(parent);
  folders.push(made);
  return made.folder;
}
const start = (folder: string, more: { testing?: boolean; choice?: "auto" | "system" } = {}) =>
  startPostgres({ folder, choice: "auto", testing: true, log: quietLog, ...more });

const shared = await freshFolder();

describe("one shared server", () => {
  test("two processes starting at once on an empty folder share one server, and the last one stops it", async () => {
    const users = [
      usePostgres(shared, "--testing"),
      usePostgres(shared, "--testing"),
      usePostgres(shared, "--testing"),
    ];
    const said = await Promise.all(users.map(async (one) => JSON.parse(await one.line())));
    expect(new Set(said.map((one) => one.pid)).size).toBe(1);
    expect(said.filter((one) => !one.adopted)).toHaveLength(1);
    const ends: string[] = [];
    for (const one of users) ends.push(JSON.parse(await one.finish()).stop);
    expect(ends).toEqual(["in use", "in use", "stopped"]);
    expect(await findPostgres({ folder: shared, log: quietLog })).toBeUndefined();
  });

  test("a running server is adopted, and stays when released", async () => {
    const first = await start(shared);
    await first.release();
    const second = await start(shared);
    expect({ adopted: second.adopted, pid: second.pid, kind: second.kind }).toEqual({
      adopted: true,
      pid: first.pid,
      kind: "embedded",
    });
    expect(await second.stop()).toBe("stopped");
  });

  test("a killed user process does not keep the server from stopping", async () => {
    const user = usePostgres(shared, "--testing");
    await user.line();
    user.child.kill("SIGKILL");
    await user.rest();
    const found = await findPostgres({ folder: shared, log: quietLog });
    // The server notices the closed socket a moment later.
    await waitUntil(async () => (await others(found!.admin)) === 0);
    expect(await found?.stop()).toBe("stopped");
  });
});

describe("after kill -9", () => {
  test("of the postmaster, the next start works while its orphans are still exiting", async () => {
    const cluster = await start(shared);
    const busy = connectAsAdmin(cluster.admin, "postgres");
    const sleeping = busy`select pg_sleep(30)`.catch(() => "lost");
    await waitUntil(async () => (await others(cluster.admin, "select pg_sleep%")) === 1);
    process.kill(cluster.pid, "SIGKILL");
    const again = await start(shared);
    expect(again.adopted).toBe(false);
    expect(await sleeping).toBe("lost");
    await busy.end({ timeout: 1 });
    await cluster.release();
    expect(await again.stop()).toBe("stopped");
  });

  test("of a backend, the server recovers by itself and is adopted", async () => {
    const cluster = await start(shared);
    const sql = connectAsAdmin(cluster.admin, "postgres");
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    process.kill(backend!.pid, "SIGKILL");
    await sql.end({ timeout: 1 });
    const again = await start(shared);
    expect({ adopted: again.adopted, pid: again.pid }).toEqual({ adopted: true, pid: cluster.pid });
    await cluster.release();
    expect(await again.stop()).toBe("stopped");
  });

  test("of everything at once, acknowledged writes are kept", async () => {
    const folder = await freshFolder();
    const writer = usePostgres(folder, "--write");
    const { pid, team } = JSON.parse(await writer.line());
    for (let count = 0; count < 60; count++) await writer.line();
    process.kill(pid, "SIGKILL");
    writer.child.kill("SIGKILL");
    const acknowledged = await writer.rest();

    const cluster = await start(folder, { testing: false });
    const database = await openDatabase({ target: cluster.admin, log: quietLog });
    const rows = await database.asEngine(
      (tx) => tx<{ id: string }[]>`select id from app.pings where team_id = ${team}`,
    );
    const kept = new Set(rows.map((one) => one.id));
    expect(acknowledged.filter((id) => id.length === 36 && !kept.has(id))).toEqual([]);
    expect(kept.size).toBeGreaterThanOrEqual(60);
    expect(await database.settings()).toEqual({ fsync: "on", synchronousCommit: "on", fullPageWrites: "on" });
    await database.close();
    expect(await cluster.stop()).toBe("stopped");
  });

  test("during initdb, the next start creates the folder and removes the remains", async () => {
    const folder = await freshFolder();
    for (const point of ["beforeInitdb", "afterInitdbBeforeRename"]) {
      const killed = usePostgres(folder, "--testing", { DEVFLOW_FAULT: `${point}:kill` });
      await expect(killed.line()).rejects.toThrow("exited without a line");
    }
    const { base } = postgresPlaces(folder);
    expect((await readdir(base)).filter((name) => name.startsWith("init-")).length).toBeGreaterThan(0);
    const cluster = await start(folder);
    expect((await readdir(base)).filter((name) => name.startsWith("init-"))).toEqual([]);
    expect(await cluster.stop()).toBe("stopped");
  });

  test("a postmaster.pid with the pid of another process does not prevent a start", async () => {
    const { data } = postgresPlaces(shared);
    writeFileSync(join(data, "postmaster.pid"), `${process.pid}\n${data}\n1700000000\n5432\n/nowhere\n\n\nready   \n`);
    const cluster = await start(shared);
    expect(cluster.adopted).toBe(false);
    expect(await cluster.stop()).toBe("stopped");
  });

  test("an empty postmaster.pid does not prevent a start", async () => {
    writeFileSync(join(postgresPlaces(shared).data, "postmaster.pid"), "");
    const cluster = await start(shared);
    expect(cluster.adopted).toBe(false);
    expect(await cluster.stop()).toBe("stopped");
  });
});

describe("its location", () => {
  test("works in a private home and path, and in one too long for a socket", async () => {
    const root = join((await freshFolder()).replace(/\/pg$/, ""), "n".repeat(120));
    mkdirSync(root, { mode: 0o700 });
    chmodSync(join(root, ".."), 0o700);
    const folder = await freshFolder(root);
    const mask = process.umask(0o077);
    try {
      const cluster = await start(folder);
      const { data, socket } = postgresPlaces(folder);
      expect(Buffer.byteLength(join(socket, ".s.PGSQL.5432"))).toBeLessThan(104);
      expect(statSync(socket).mode & 0o777).toBe(0o700);
      expect(statSync(data).mode & 0o777).toBe(0o700);
      expect(statSync(join(data, "devflow-password")).mode & 0o777).toBe(0o600);
      const sql = connectAsAdmin(cluster.admin, "postgres");
      const [row] = await sql`
        select current_setting('listen_addresses') as addresses, datcollate, datlocprovider as provider,
               datlocale as locale, pg_encoding_to_char(encoding) as encoding
        from pg_database where datname = 'postgres'`;
      expect({ ...row }).toEqual({
        addresses: "",
        datcollate: "C",
        provider: "b",
        locale: "C.UTF-8",
        encoding: "UTF8",
      });
      await sql.end();
      expect(await cluster.stop()).toBe("stopped");
    } finally {
      process.umask(mask);
    }
  });

  test("the caller's environment does not reach the server", async () => {
    const user = usePostgres(shared, "--testing", { DEVFLOW_ACCESS_TOKEN: "t0ps3cret", PGOPTIONS: "-c jit=on" });
    const { pid } = JSON.parse(await user.line());
    if (process.platform === "linux") {
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("t0ps3cret");
      expect(readlinkSync(`/proc/${pid}/cwd`)).not.toBe(process.cwd());
    }
    expect(JSON.parse(await user.finish())).toEqual({ stop: "stopped" });
  });

  test("a wrong password is refused, even on the socket", async () => {
    const cluster = await start(shared);
    const { Secret } = await import("@devflow/core/secret");
    const stranger = connectAsAdmin({ ...cluster.admin, password: new Secret("guess") }, "postgres");
    await expect(stranger`select 1`.then(() => "in")).rejects.toThrow(/password authentication failed/);
    await stranger.end({ timeout: 1 });
    await cluster.stop();
  });
});

describe("refuses with a solution", () => {
  test("a data folder of another major version", async () => {
    const { data } = postgresPlaces(shared);
    const version = readFileSync(join(data, "PG_VERSION"), "utf8");
    writeFileSync(join(data, "PG_VERSION"), "15\n");
    await expect(start(shared)).rejects.toMatchObject({
      code: "db_major_version",
      details: { found: "15", ours: 18 },
      hint: expect.stringContaining("devflow restore"),
    });
    writeFileSync(join(data, "PG_VERSION"), version);
  });

  test.each([
    ["empty", ""],
    ["not a number", "eighteen\n"],
  ])("a data folder whose PG_VERSION is %s", async (what, content) => {
    const { data } = postgresPlaces(shared);
    const version = readFileSync(join(data, "PG_VERSION"), "utf8");
    writeFileSync(join(data, "PG_VERSION"), content);
    await expect(start(shared)).rejects.toMatchObject({
      code: "db_data_damaged",
      message: `The data folder ${data} is damaged: its file PG_VERSION is ${what}.`,
      hint: expect.stringContaining("devflow restore"),
    });
    writeFileSync(join(data, "PG_VERSION"), version);
  });

  test("a data folder that Postgres cannot read", async () => {
    const { data } = postgresPlaces(shared);
    await rename(join(data, "global"), join(data, "lost"));
    await expect(start(shared)).rejects.toMatchObject({ code: "db_start_failed" });
    await rename(join(data, "lost"), join(data, "global"));
    const cluster = await start(shared);
    expect(await cluster.stop()).toBe("stopped");
  });

  test("an aborted start leaves no server", async () => {
    const called = AbortSignal.abort(new Error("called off"));
    await expect(
      startPostgres({ folder: shared, choice: "auto", testing: true, log: quietLog, signal: called }),
    ).rejects.toThrow("called off");
    expect(await findPostgres({ folder: shared, log: quietLog })).toBeUndefined();
  });
});

async function others(admin: Parameters<typeof connectAsAdmin>[0], query = "%"): Promise<number> {
  const sql = connectAsAdmin(admin, "postgres");
  try {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and query like ${query}
        and application_name like 'devflow:%' and (${query} <> '%' or application_name not like ${`devflow:${process.pid}:%`})`;
    return row?.count ?? 0;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error("it did not come true in 20 s");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
