/**
 * A separate database for a test file: a clone of a migrated template, dropped at the end.
 *
 * - `testDatabase()` the opened clone; call `close()` in `afterAll`.
 *
 * The cluster is the test run's (DEVFLOW_TEST_CLUSTER), or one that this process starts, which ends with the last `close()`
 * or with the process, however it ends.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createLog, type Log } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { type ConnectionTarget, connectAsAdmin, type Database, openDatabase } from "@devflow/db";
import { schemaHash } from "@devflow/db/testing";
import type { TestCluster } from "./test-cluster.ts";

export interface TestDatabase {
  readonly database: Database;
  readonly name: string;
  /** The administrator, for tests that bypass row-level security. */
  readonly target: ConnectionTarget;
  close(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** False clones an empty database, for tests of migrating and opening. */
  readonly migrated?: boolean;
  readonly poolSize?: number;
}

export const quietLog: Log = createLog({ level: "silent", module: "test" });

export async function testDatabase({ poolSize = 4 }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { target, name, drop } = await testClone();
  const database = await openDatabase({ target, database: name, poolSize, log: quietLog }).catch(async (error) => {
    await drop();
    throw error;
  });
  return {
    database,
    name,
    target,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** A clone that is not opened yet: migrated, or with `migrated: false` empty. */
export async function testClone({ migrated = true }: TestDatabaseOptions = {}): Promise<{
  target: ConnectionTarget;
  name: string;
  drop(): Promise<void>;
}> {
  const lease = await leaseCluster();
  const name = `t_${randomBytes(8).toString("hex")}`;
  const template = migrated ? await templateOf(lease.target) : "template0";
  await admin(lease.target, (sql) =>
    sql.unsafe(`create database ${name} template ${template} strategy wal_log`).then(() => {}),
  );
  return {
    target: lease.target,
    name,
    async drop() {
      await admin(lease.target, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`).then(() => {}));
      await lease.end();
    },
  };
}

/** Templates known to exist, so that each further clone is one connection and one statement. */
const templates = new Map<string, Promise<string>>();

function templateOf(target: ConnectionTarget): Promise<string> {
  const known = templates.get(target.host) ?? ensureTemplate(target);
  templates.set(target.host, known);
  known.catch(() => templates.delete(target.host));
  return known;
}

/** Rebuilt when the schema changes, because its name contains the schema's hash; created under another name, so it is complete or absent. */
async function ensureTemplate(target: ConnectionTarget): Promise<string> {
  const template = `template_${schemaHash.slice(0, 16)}`;
  await admin(target, async (sql) => {
    const isThere = async () => (await sql`select from pg_database where datname = ${template}`).length > 0;
    if (await isThere()) return;
    await sql`select pg_advisory_lock(hashtextextended(${template}, 0))`;
    if (await isThere()) return;
    const making = `making_${randomBytes(6).toString("hex")}`;
    const database = await openDatabase({ target, database: making, log: quietLog });
    await database.close();
    // A closed connection's process may take a moment to end on a busy machine, and a database in use cannot be renamed.
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${making}`;
    await sql.unsafe(`alter database ${making} rename to ${template}`);
  });
  return template;
}

async function admin<T>(target: ConnectionTarget, work: (sql: ReturnType<typeof connectAsAdmin>) => Promise<T>) {
  const sql = connectAsAdmin(target, "postgres");
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

interface OwnCluster {
  users: number;
  readonly ready: Promise<{ target: ConnectionTarget; stop(): Promise<void> }>;
}
let own: OwnCluster | undefined;

async function leaseCluster(): Promise<{ target: ConnectionTarget; end(): Promise<void> }> {
  const given = process.env.DEVFLOW_TEST_CLUSTER;
  if (given) return { target: targetOf(JSON.parse(given) as TestCluster), end: async () => {} };
  own ??= { users: 0, ready: spawnCluster() };
  const used = own;
  used.users += 1;
  const { target, stop } = await used.ready;
  return {
    target,
    async end() {
      used.users -= 1;
      if (used.users > 0) return;
      if (own === used) own = undefined;
      await stop();
    },
  };
}

/** In a process that watches our end of a pipe, so that nothing is left when this process is killed. */
async function spawnCluster(): Promise<{ target: ConnectionTarget; stop(): Promise<void> }> {
  const script = fileURLToPath(new URL("./test-cluster.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  if (!text.includes("\n")) throw new Error("the test cluster did not start; see its output above");
  return {
    target: targetOf(JSON.parse(text) as TestCluster),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

function targetOf({ host, port, user, password }: TestCluster): ConnectionTarget {
  return { host, port, user, password: new Secret(password) };
}
