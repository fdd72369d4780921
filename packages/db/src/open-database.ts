/**
 * The product's database, migrated and ready, accessed through a role without rights of its own.
 *
 * - `openDatabase(options)` for the embedded cluster (a target) or an operator's own Postgres (a URL).
 * - `pendingMigrations(options)` what opening would apply.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { Secret } from "@devflow/core/secret";
import { type ConnectionTarget, type Transaction, targetFromUrl } from "./connection-target.ts";
import { type HeldLock, holdLock } from "./held-lock.ts";
import { inspectServer, type ServerFacts } from "./inspect-server.ts";
import { type Line, openLine, type Statement, type TransactionOptions } from "./line.ts";
import { createLinePool } from "./line-pool.ts";
import { createListener, type Listening } from "./listen.ts";
import { applyMigrations, isUpToDate, planMigrations } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { createPollListener } from "./poll-listener.ts";
import { earlyLogin, openRequestLine, type ServiceLogin, serviceLogin, workerLogin } from "./service-role.ts";
import { asEngine, type Claims, type ClaimsOptions, withClaims } from "./with-claims.ts";

export interface OpenDatabaseOptions {
  readonly target: ConnectionTarget | Secret;
  /** For a target; a URL includes it. */
  readonly database?: string;
  /** Allows Devflow to use a database that already contains something else. */
  readonly adopt?: boolean;
  /** False refuses a database that is behind (`migration_pending`) instead of migrating it. */
  readonly migrate?: boolean;
  readonly poolSize?: number;
  /** A worker's: `asEngine` then works in the teams of this token only, and nothing is migrated. */
  readonly workerToken?: Secret;
  readonly log: Log;
}

export interface Database {
  readonly kind: "embedded" | "system" | "external";
  readonly version: string;
  readonly name: string;
  /** The role that migrates: for backup and restore, never for requests. */
  readonly admin: ConnectionTarget;
  /** One statement as the login role, which has no rights: use `withClaims` or `asEngine` to read or write. */
  readonly sql: Statement;
  withClaims<T>(claims: Claims, fn: (tx: Transaction) => Promise<T>, options?: ClaimsOptions): Promise<T>;
  asEngine<T>(fn: (tx: Transaction) => Promise<T>, options?: Pick<TransactionOptions, "last">): Promise<T>;
  /** `onConnected` is called each time listening begins, so that the caller can catch up on what it missed. */
  listen(channel: string, onMessage: (text: string) => void, onConnected: () => void): Promise<Listening>;
  /**
   * A lock of this process for as long as it lives; undefined when another one has it. Through a connection pooler no
   * connection belongs to a process, so nobody is kept out.
   */
  hold(lock: string): Promise<HeldLock | undefined>;
  settings(): Promise<{ fsync: string; synchronousCommit: string; fullPageWrites: string }>;
  migrations(): Promise<{ applied: number; latest: string }>;
  close(): Promise<void>;
}

export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const [given, name, isUrl] = placeOf(options);
  const isWorker = options.workerToken !== undefined;
  const early = isUrl || isWorker ? undefined : earlyLogin(given, name);
  try {
    const { admin, facts } = await enter(given, name, isUrl);
    const target = { ...given, pooled: facts.isPooled || (given.pooled ?? false) };
    if (target.pooled) options.log.info({}, "a connection pooler is in between: no prepared statements, no LISTEN");
    let login: ServiceLogin;
    let left: Promise<void>;
    try {
      await bringUpToDate(admin, facts, options);
      login = isWorker
        ? await workerLogin(admin, target, facts)
        : await serviceLogin({ admin, target, database: name, facts, early });
    } finally {
      // Only closing the database waits for its end.
      left = admin.end();
    }
    const { version } = facts;
    return database(login, left, options, { kind: isUrl ? "external" : facts.kind, version, name, admin: target });
  } catch (error) {
    await (await early)?.line?.end();
    throw error;
  }
}

function placeOf(
  options: Pick<OpenDatabaseOptions, "target" | "database">,
): [target: ConnectionTarget, database: string, isUrl: boolean] {
  if (options.target instanceof Secret) {
    const target = targetFromUrl(options.target);
    return [target, target.database, true];
  }
  return [options.target, options.database ?? options.target.database ?? "devflow", false];
}

/** Connects as the given role; on our own cluster a missing database is created. */
async function enter(
  target: ConnectionTarget,
  name: string,
  isUrl: boolean,
): Promise<{ admin: Line; facts: ServerFacts }> {
  // Whether a pooler is in between is known only after the first statements.
  const admin = openLine(isUrl ? { ...target, pooled: true } : target, { database: name });
  try {
    return { admin, facts: await inspectServer(admin.statement, name) };
  } catch (error) {
    await admin.end();
    if ((error as { code?: string }).code !== "3D000" || isUrl) throw unreachable(error);
  }
  const outside = openLine(target, { database: "postgres" });
  try {
    await outside.run(`create database "${name.replaceAll('"', '""')}" template template0`);
  } catch (error) {
    // Another process created it in between.
    const code = (error as { code?: string }).code;
    if (code !== "42P04" && code !== "23505") throw error;
  } finally {
    await outside.end();
  }
  const again = openLine(target, { database: name });
  return { admin: again, facts: await inspectServer(again.statement, name) };
}

async function bringUpToDate(admin: Line, facts: ServerFacts, options: OpenDatabaseOptions): Promise<void> {
  if (isUpToDate(facts.ledger)) return;
  const pending = planMigrations(facts.ledger);
  if (options.migrate === false || options.workerToken !== undefined) {
    throw new DevflowError("migration_pending", {
      details: { count: pending.length, names: pending.map((one) => one.name).join(", ") },
    });
  }
  if (facts.foreign !== undefined && !(options.adopt && facts.mayAdopt)) {
    throw new DevflowError("db_not_ours", { details: { database: facts.database, sample: facts.foreign } });
  }
  try {
    await applyMigrations(admin, options.log);
  } catch (error) {
    if ((error as { code?: string }).code !== "42501") throw error;
    throw new DevflowError("db_privileges", {
      details: {
        role: facts.role.name,
        reason: (error as Error).message,
        next: `Ask an administrator to run: alter role ${facts.role.name} createrole; grant create on database ${facts.database} to ${facts.role.name};`,
      },
      cause: error,
    });
  }
}

function database(
  { target: service, line: first }: ServiceLogin,
  left: Promise<void>,
  { log, poolSize = 10, workerToken }: OpenDatabaseOptions,
  about: Pick<Database, "kind" | "version" | "name" | "admin">,
): Database {
  const lines = createLinePool({ open: () => openRequestLine(service, about.name), size: poolSize, first });
  const sql: Statement = (template, ...parameters) => lines.use((line) => line.statement(template, ...parameters));
  const engine = <T>(fn: (tx: Transaction) => Promise<T>, options?: Pick<TransactionOptions, "last">) =>
    lines.use((line) => asEngine(line, fn, options, workerToken));
  const listener = service.pooled
    ? createPollListener()
    : createListener((onNotify) => openLine(service, { database: about.name, onNotify }), log);
  return {
    ...about,
    sql,
    withClaims: (claims, fn, options) => lines.use((line) => withClaims(line, claims, fn, options)),
    asEngine: engine,
    listen: listener.listen,
    hold: async (lock) =>
      service.pooled ? notHeld : await holdLock(() => openLine(service, { database: about.name }), lock, log),
    async settings() {
      const [row] = await sql<{ fsync: string; synchronousCommit: string; fullPageWrites: string }[]>`
        select current_setting('fsync') as fsync, current_setting('synchronous_commit') as "synchronousCommit",
               current_setting('full_page_writes') as "fullPageWrites"`;
      return row ?? { fsync: "unknown", synchronousCommit: "unknown", fullPageWrites: "unknown" };
    },
    async migrations() {
      const rows = await engine((tx) => tx<{ name: string }[]>`select name from devflow.migrations order by number`);
      return { applied: rows.length, latest: rows.at(-1)?.name ?? "none" };
    },
    close: async () => void (await Promise.all([lines.close(), left])),
  };
}

const notHeld: HeldLock = { lost: new Promise(() => undefined), release: async () => undefined };

function unreachable(error: unknown): unknown {
  if (error instanceof DevflowError) return error;
  const { code, message } = error as { code?: string; message?: string };
  // What the server reported about the login or the database name; anything else is a bug of ours.
  const isConnection = code === undefined || /^(E[A-Z]+|CONNECT|28|3D|08|57P|SELF|DEPTH|UNABLE|CERT|ERR_)/.test(code);
  if (!isConnection) return error;
  // The driver's own words name no server.
  const reason = code === "CONNECT_TIMEOUT" ? "it was connected to and did not answer" : message || String(code);
  return new DevflowError("db_unreachable", { details: { reason }, cause: error });
}

/** Names of the migrations that this program would apply; refuses what `openDatabase` would refuse. */
export async function pendingMigrations(options: Pick<OpenDatabaseOptions, "target" | "database">): Promise<string[]> {
  const [target, name, isUrl] = placeOf(options);
  const line = openLine(isUrl ? { ...target, pooled: true } : target, { database: name });
  try {
    return planMigrations((await inspectServer(line.statement, name)).ledger).map((one) => one.name);
  } catch (error) {
    if ((error as { code?: string }).code !== "3D000" || isUrl) throw unreachable(error);
    return migrations.map((one) => one.name);
  } finally {
    await line.end();
  }
}
