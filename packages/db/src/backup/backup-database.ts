/**
 * - `backupDatabase({ database, file, files })` writes everything in schema `app`, as of one moment, and the given files into
 *   one file: completely or not at all, 0600. It works while the server runs and needs no other program.
 */
import { createHash } from "node:crypto";
import { constants, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { syncFolder } from "@devflow/core/atomic-file";
import { toDevflowError } from "@devflow/core/errors";
import type { Transaction } from "../connection-target.ts";
import { openLine } from "../line.ts";
import { readLedger } from "../migrate.ts";
import type { Database } from "../open-database.ts";
import { type End, formatVersion, type Header, RowCheck, type TableEnd, textSettings } from "./format.ts";
import { type AppTable, appSequences, appTables } from "./tables.ts";

export interface BackupReport {
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

/** A file that belongs to the data: where it is, and its name in the backup. */
export interface BackupFile {
  readonly name: string;
  readonly path: string;
}

export async function backupDatabase(options: {
  database: Database;
  file: string;
  files?: readonly BackupFile[];
}): Promise<BackupReport> {
  const { database, file, files = [] } = options;
  const line = openLine(database.admin, { database: database.name });
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // One snapshot for all tables: no concurrent commit is included partially.
    const end = await line.transaction(
      async (tx) => {
        let last: End | undefined;
        const lines = everything(tx, database.version, files, (one) => {
          last = one;
        });
        await pipeline(Readable.from(lines), createGzip(), createWriteStream(temporary, { mode: 0o600, flags: "wx" }));
        return last;
      },
      { mode: "isolation level repeatable read read only" },
    );
    await sync(temporary);
    await rename(temporary, file);
    await syncFolder(dirname(file));
    return { tables: end?.tables ?? 0, rows: end?.rows ?? 0, files: end?.files ?? 0, bytes: (await stat(file)).size };
  } catch (error) {
    await rm(temporary, { force: true });
    throw isSystemError(error) ? toDevflowError(error) : error;
  } finally {
    await line.end();
  }
}

async function* everything(
  tx: Transaction,
  version: string,
  files: readonly BackupFile[],
  onEnd: (end: End) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const line = (value: unknown): Buffer => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    hash.update(bytes);
    return bytes;
  };
  await tx.unsafe(textSettings);
  const ledger = await readLedger(tx);
  const header: Header = {
    devflowBackup: formatVersion,
    at: new Date().toISOString(),
    postgres: version,
    migrations: ledger?.applied ?? [],
  };
  yield line(header);
  let rows = 0;
  const tables = await appTables(tx);
  for (const table of tables) {
    yield line({ table: table.name, columns: table.columns });
    const check = new RowCheck();
    for await (const bytes of copyOut(tx, table)) {
      hash.update(bytes);
      check.add(bytes);
      yield bytes;
    }
    const marker = Buffer.from("\\.\n");
    hash.update(marker);
    yield marker;
    const done = check.end();
    rows += done.rows;
    yield line(done);
  }
  yield line({ sequences: await appSequences(tx) });
  let count = 0;
  for (const { name, path } of files) {
    const content = await contentOf(path);
    if (!content) continue;
    yield line({ file: name, mode: content.mode, bytes: content.bytes.length });
    const bytes = Buffer.concat([content.bytes, Buffer.from("\n")]);
    hash.update(bytes);
    yield bytes;
    count += 1;
  }
  const end: End = { end: true, tables: tables.length, rows, files: count, sha256: hash.digest("hex") };
  onEnd(end);
  yield Buffer.from(`${JSON.stringify(end)}\n`);
}

/** Undefined when it was removed meanwhile, or is no file. */
async function contentOf(path: string): Promise<{ bytes: Buffer; mode: number } | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  try {
    const found = await handle.stat();
    return found.isFile() ? { bytes: await handle.readFile(), mode: found.mode & 0o777 } : undefined;
  } finally {
    await handle.close();
  }
}

async function* copyOut(tx: Transaction, table: AppTable): AsyncGenerator<Buffer> {
  const columns = table.columns.map((name) => `t.${name}`).join(", ");
  const rows = await tx
    .unsafe(`copy (select ${columns} from app.${table.name} t order by ${table.orderBy}) to stdout`)
    .readable();
  for await (const chunk of rows) yield chunk as Buffer;
  // postgres.js pauses its socket when much arrives at once, and does not resume it if that was already the end: the next
  // statement would wait forever. Calling the stream's own read function resumes it.
  rows._read(0);
}

/** The current rows of a table, for comparison with a backup. */
export async function checkRows(tx: Transaction, table: AppTable): Promise<TableEnd> {
  const check = new RowCheck();
  for await (const bytes of copyOut(tx, table)) check.add(bytes);
  return check.end();
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isSystemError = (error: unknown): boolean => /^E[A-Z]+$/.test(String((error as { code?: unknown }).code));
