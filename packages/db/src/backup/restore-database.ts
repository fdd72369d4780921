/**
 * - `restoreDatabase({ database, file, replace })` restores a backup: all of its rows, checked, or none.
 *
 * The file is read twice: first to check that it is complete, then to load it. Loading is one transaction. A backup of an
 * older schema is loaded into that older schema and then migrated forward, in the same transaction. At the end every
 * table is read again and compared with the count and hash in the file, before anything is committed.
 */
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import type { Transaction } from "../connection-target.ts";
import { openLine } from "../line.ts";
import { planMigrations } from "../migrate.ts";
import { type Migration, migrations as ours } from "../migrations.ts";
import type { Database } from "../open-database.ts";
import { checkRows } from "./backup-database.ts";
import { type Header, readBackup, type TableEnd, type TableStart, textSettings } from "./format.ts";
import { type AppSequence, type AppTable, appTables, unloggedTables } from "./tables.ts";

export interface RestoreOptions {
  readonly database: Database;
  readonly file: string;
  /** Allows deleting the existing rows. */
  readonly replace?: boolean;
  /** Takes each file of the backup, before anything is committed. */
  readonly onFile?: (file: { readonly name: string; readonly mode: number; readonly bytes: Buffer }) => Promise<void>;
  /** This program's migrations; tests pass others. */
  readonly known?: readonly Migration[];
}

export interface RestoreReport {
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
}

const empty = (tx: Transaction, names: readonly string[]) =>
  tx.unsafe(`truncate ${names.map((name) => `app.${name}`).join(", ")}`);

export async function restoreDatabase(options: RestoreOptions): Promise<RestoreReport> {
  const { database, file, replace = false, known = ours, onFile } = options;
  const { header, report } = await checkFile(file);
  const missing = planMigrations({ applied: header.migrations, platformHash: undefined }, known);
  const line = openLine(database.admin, { database: database.name });
  try {
    await line.transaction(async (tx) => {
      await tx.unsafe(textSettings);
      const there = await appTables(tx);
      // Nobody may write, and no other restore may begin, until this one ends.
      for (const table of there) await tx.unsafe(`lock table app.${table.name} in access exclusive mode`);
      if (!replace) await refuseRows(tx, there, file);
      if (missing.length > 0) await rebuild(tx, header, known);
      else if (there.length > 0) await empty(tx, [...there.map((one) => one.name), ...(await unloggedTables(tx))]);
      await load(tx, file, onFile);
      for (const migration of missing) await apply(tx, migration);
      await beginEpoch(tx);
    });
    return report;
  } catch (error) {
    // 22 and 23: values and rows that the schema rejects.
    if (!/^2[23]/.test(String((error as { code?: unknown }).code))) throw error;
    throw unfit(file, `it contains rows that its own schema rejects (${(error as Error).message})`);
  } finally {
    await line.end();
  }
}

async function checkFile(file: string): Promise<{ header: Header; report: RestoreReport }> {
  let header: Header | undefined;
  let report: RestoreReport | undefined;
  for await (const part of readBackup(file)) {
    if (part.is === "header") header = part.header;
    if (part.is === "end") report = { tables: part.end.tables, rows: part.end.rows, files: part.end.files ?? 0 };
  }
  if (header && report) return { header, report };
  throw new DevflowError("backup_invalid", { details: { path: file, reason: "it ends too early" } });
}

async function refuseRows(tx: Transaction, tables: readonly AppTable[], file: string): Promise<void> {
  for (const { name } of tables) {
    const rows = await tx.unsafe(`select from app.${name} limit 1`);
    if (rows.length === 0) continue;
    throw new DevflowError("conflict", {
      details: {
        problem: `This database already contains rows (in ${name}).`,
        next: `To replace them with the backup: devflow restore ${file} --replace`,
      },
    });
  }
}

/** Sequence numbers will be given out again, so no cursor of a client may survive. A schema of its own in a test may lack it. */
async function beginEpoch(tx: Transaction): Promise<void> {
  const [found] = await tx`select to_regprocedure('app.begin_epoch()') is not null as is_there`;
  if (found?.is_there) await tx`select app.begin_epoch()`;
}

/** The schema as of the backup. */
async function rebuild(tx: Transaction, header: Header, known: readonly Migration[]): Promise<void> {
  await tx.unsafe(
    "drop schema if exists api cascade; drop schema if exists app cascade; delete from devflow.migrations;",
  );
  const then = new Set(header.migrations.map((one) => one.number));
  for (const migration of known) if (then.has(migration.number)) await apply(tx, migration);
}

async function apply(tx: Transaction, migration: Migration): Promise<void> {
  await tx.unsafe(migration.sql);
  await tx`
    insert into devflow.migrations (number, name, hash)
    values (${migration.number}, ${migration.name}, ${hashBytes(migration.sql)})`;
}

async function load(tx: Transaction, file: string, onFile: RestoreOptions["onFile"]): Promise<void> {
  const tables = new Map((await appTables(tx)).map((one) => [one.name, one]));
  const written: [AppTable, TableEnd][] = [];
  let current: { table: AppTable; into: Awaited<ReturnType<typeof copyIn>> } | undefined;
  for await (const part of readBackup(file)) {
    switch (part.is) {
      case "table": {
        const table = tables.get(part.table.table);
        if (!table) throw unfit(file, `it contains the table ${part.table.table}, which is not in its own schema`);
        current = { table, into: await copyIn(tx, table, part.table) };
        break;
      }
      case "rows":
        await current?.into.write(part.bytes);
        break;
      case "table end":
        await current?.into.end();
        if (current) written.push([current.table, part.end]);
        break;
      case "file":
        await onFile?.(part);
        break;
      case "sequences":
        await setSequences(tx, part.sequences);
        break;
    }
  }
  for (const [table, expected] of written) {
    const found = await checkRows(tx, table);
    if (found.rows !== expected.rows || found.sha256 !== expected.sha256) {
      throw unfit(file, `the rows of ${table.name} were not restored correctly`);
    }
  }
}

async function copyIn(tx: Transaction, table: AppTable, { columns }: TableStart) {
  const unknown = columns.find((name) => !table.columns.includes(name));
  if (unknown) throw unfit(table.name, `the column ${unknown} is not in its own schema`);
  if (table.hasTriggers) await tx.unsafe(`alter table app.${table.name} disable trigger user`);
  const stream = await tx.unsafe(`copy app.${table.name} (${columns.join(", ")}) from stdin`).writable();
  let failure: Error | undefined;
  stream.on("error", (error) => {
    failure ??= error;
  });
  return {
    async write(bytes: Buffer): Promise<void> {
      if (failure) throw failure;
      await new Promise<void>((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve())));
    },
    async end(): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        stream.once("error", reject).once("finish", resolve).end();
      });
      if (failure) throw failure;
      if (table.hasTriggers) await tx.unsafe(`alter table app.${table.name} enable trigger user`);
    },
  };
}

async function setSequences(tx: Transaction, sequences: readonly AppSequence[]): Promise<void> {
  for (const { name, value, isCalled } of sequences) {
    await tx`select setval(format('app.%I', ${name}::text)::regclass, ${value}::text::bigint, ${isCalled}::boolean)`;
  }
}

function unfit(path: string, reason: string): DevflowError {
  return new DevflowError("backup_invalid", { details: { path, reason } });
}
