/** A lock for the life of a process. */
import { afterAll, expect, test } from "bun:test";
import { quietLog, testDatabase } from "@devflow/testkit";
import { connectAsAdmin, openDatabase } from "./index.ts";

const { database, target, name, close } = await testDatabase({ poolSize: 1 });
const other = await openDatabase({ target, database: name, poolSize: 1, log: quietLog });
const admin = connectAsAdmin(target, name);
afterAll(async () => {
  await admin.end();
  await other.close();
  await close();
});

/** Ends the connections that hold a lock, as a crash of Postgres would. */
const cut = () => admin`
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = ${name})`;

test("one process has it until it gives it back", async () => {
  const first = await database.hold("a lock");
  expect(await other.hold("a lock")).toBeUndefined();
  expect(await (await other.hold("another lock"))?.release()).toBeUndefined();
  await first?.release();
  const second = await other.hold("a lock");
  expect(second).toBeDefined();
  await second?.release();
});

test("after a lost connection it is taken again, or known to be lost", async () => {
  const held = await database.hold("a lock");
  await cut();
  await Bun.sleep(500);
  expect(await other.hold("a lock")).toBeUndefined();
  const thief = other.hold("a lock");
  // The other one tries all the time; whoever comes first has it.
  await cut();
  const stolen = await thief;
  const outcome = await Promise.race([held?.lost.then(() => "lost"), Bun.sleep(5_000).then(() => "kept")]);
  expect(outcome).toBe(stolen ? "lost" : "kept");
  await stolen?.release();
  await held?.release();
});
