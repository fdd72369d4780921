/**
 * A backup file: gzip of readable lines.
 *
 *     {"devflowBackup":2,"at":…,"postgres":"18.4","migrations":[…]}
 *     {"table":"users","columns":[…]}
 *     …rows as COPY writes them…
 *     \.
 *     {"rows":2,"sha256":…}            (again for each table)
 *     {"sequences":[…]}
 *     {"file":"config.yaml","mode":384,"bytes":42}
 *     …its 42 bytes and a newline…     (again for each file)
 *     {"end":true,"tables":7,"rows":123,"files":1,"sha256":…}    the hash of everything before this line
 *
 * - `readBackup(path)` yields its parts in order; throws `backup_invalid` at the first unexpected byte.
 * - `Header`, `TableStart`, `TableEnd`, `Sequences`, `End` are the lines.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { DevflowError } from "@devflow/core/errors";
import type { AppliedMigration } from "../migrate.ts";
import type { AppSequence } from "./tables.ts";

export const formatVersion = 2;
/** Version 1 has no files. */
const readable: readonly number[] = [1, formatVersion];

export interface Header {
  readonly devflowBackup: number;
  readonly at: string;
  readonly postgres: string;
  readonly migrations: readonly AppliedMigration[];
}
export interface TableStart {
  readonly table: string;
  readonly columns: readonly string[];
}
export interface TableEnd {
  readonly rows: number;
  readonly sha256: string;
}
export interface Sequences {
  readonly sequences: readonly AppSequence[];
}
export interface FileStart {
  /** Relative, with slashes. */
  readonly file: string;
  readonly mode: number;
  readonly bytes: number;
}
export interface End {
  readonly end: true;
  readonly tables: number;
  readonly rows: number;
  readonly files?: number;
  readonly sha256: string;
}

export type Part =
  | { readonly is: "header"; readonly header: Header }
  | { readonly is: "table"; readonly table: TableStart }
  | { readonly is: "rows"; readonly bytes: Buffer }
  | { readonly is: "table end"; readonly end: TableEnd }
  | { readonly is: "file"; readonly name: string; readonly mode: number; readonly bytes: Buffer }
  | { readonly is: "sequences"; readonly sequences: readonly AppSequence[] }
  | { readonly is: "end"; readonly end: End };

/** Settings that determine how COPY writes a value; a backup and its check must use the same. */
export const textSettings =
  "set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'iso_8601'; " +
  "set local bytea_output = 'hex'; set local extra_float_digits = 1; set local client_encoding = 'UTF8'; " +
  // An error is better than a backup without the rows that a policy hides.
  "set local row_security = off;";

/** Counts rows and hashes them; a row is a line, because COPY escapes every newline inside a value. */
export class RowCheck {
  rows = 0;
  readonly #hash = createHash("sha256");
  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    for (const byte of bytes) if (byte === 10) this.rows += 1;
  }
  end(): TableEnd {
    return { rows: this.rows, sha256: this.#hash.digest("hex") };
  }
}

const endOfRows = Buffer.from("\\.\n");

export async function* readBackup(path: string): AsyncGenerator<Part> {
  const source = new ByteSource(unpacked(path));
  const hash = createHash("sha256");
  let tables = 0;
  let rows = 0;
  let files = 0;
  const nextLine = async (): Promise<Buffer> => {
    const line = await source.line();
    if (!line) throw invalid(path, "it ends too early");
    return line;
  };
  try {
    const first = await nextLine();
    yield { is: "header", header: parseHeader(first, path) };
    hash.update(first);
    for (;;) {
      const line = await nextLine();
      const meta = parseLine(line, path);
      if ("end" in meta) {
        const isWhole =
          meta.tables === tables &&
          meta.rows === rows &&
          (meta.files ?? 0) === files &&
          meta.sha256 === hash.digest("hex");
        if (!isWhole || (await source.line())) throw invalid(path, "its content does not match its checksum");
        yield { is: "end", end: meta as unknown as End };
        return;
      }
      hash.update(line);
      if ("sequences" in meta) {
        yield { is: "sequences", sequences: (meta as unknown as Sequences).sequences };
        continue;
      }
      if ("file" in meta) {
        const { file, mode, bytes: size } = meta as unknown as FileStart;
        const content = await source.bytes(size + 1);
        if (!content) throw invalid(path, "it ends too early");
        if (!isPlainName(file)) throw invalid(path, `it contains a file with the name ${JSON.stringify(file)}`);
        hash.update(content);
        files += 1;
        yield { is: "file", name: file, mode, bytes: content.subarray(0, size) };
        continue;
      }
      yield { is: "table", table: meta as unknown as TableStart };
      const check = new RowCheck();
      for await (const bytes of source.rows()) {
        hash.update(bytes);
        check.add(bytes);
        yield { is: "rows", bytes };
      }
      hash.update(endOfRows);
      const closing = await nextLine();
      hash.update(closing);
      const found = check.end();
      const written = parseLine(closing, path);
      if (written.rows !== found.rows || written.sha256 !== found.sha256) {
        throw invalid(path, `the rows of ${(meta as unknown as TableStart).table} do not match their checksum`);
      }
      tables += 1;
      rows += found.rows;
      yield { is: "table end", end: found };
    }
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (code === "ENOENT") throw invalid(path, "there is no such file", error);
    if (/^Z_|^ERR_/.test(code)) throw invalid(path, "it is damaged or truncated", error);
    throw error;
  }
}

function parseHeader(line: Buffer, path: string): Header {
  const header = parseLine(line, path) as Partial<Header>;
  if (typeof header.devflowBackup !== "number" || !Array.isArray(header.migrations)) {
    throw invalid(path, "it was not created by devflow backup");
  }
  if (!readable.includes(header.devflowBackup)) {
    throw invalid(path, `its format is ${header.devflowBackup}; this Devflow reads ${formatVersion}`);
  }
  return header as Header;
}

function parseLine(line: Buffer, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line.toString("utf8"));
    if (value !== null && typeof value === "object") return value as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw invalid(path, "it was not created by devflow backup, or was altered");
}

/** Splits chunks of any size into lines and rows. */
class ByteSource {
  #rest: Buffer = Buffer.alloc(0);
  readonly #chunks: AsyncIterator<Buffer>;
  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Including its newline; undefined at the end, or if the end truncates it. */
  async line(): Promise<Buffer | undefined> {
    let newline = this.#rest.indexOf(10);
    while (newline < 0) {
      if (this.#rest.length > longestLine || !(await this.#more())) return undefined;
      newline = this.#rest.indexOf(10);
    }
    return this.#take(newline + 1);
  }

  /** Exactly so many; undefined if the end comes first. */
  async bytes(count: number): Promise<Buffer | undefined> {
    while (this.#rest.length < count) if (!(await this.#more())) return undefined;
    return Buffer.from(this.#take(count));
  }

  /** Complete rows, many at a time, up to and including the line that ends them. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const isOver = this.#rest.subarray(0, endOfRows.length).equals(endOfRows);
      const marker = isOver ? 0 : this.#rest.indexOf("\n\\.\n") + 1;
      if (isOver || marker > 0) {
        if (marker > 0) yield this.#take(marker);
        this.#take(endOfRows.length);
        return;
      }
      // The last line may be the beginning of the marker, or half a row.
      const whole = this.#rest.lastIndexOf(10, Math.max(0, this.#rest.length - endOfRows.length)) + 1;
      if (whole > 0) yield this.#take(whole);
      // Without the marker, the caller's next line read reports that the file ends too early.
      if (!(await this.#more())) return;
    }
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}

/** Limit for the lines between the rows; another kind of file may have none for gigabytes. */
const longestLine = 16 * 1024 * 1024;

async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // Failures of either stream end the loop below with the same error.
  pipeline(createReadStream(path), gunzip, (error) => error && gunzip.destroy(error));
  for await (const chunk of gunzip) yield chunk as Buffer;
}

/** A file of a backup is written below the home and nowhere else. */
const isPlainName = (name: string): boolean =>
  typeof name === "string" && name.split("/").every((part) => part !== "" && part !== "." && part !== "..");

function invalid(path: string, reason: string, cause?: unknown): DevflowError {
  return new DevflowError("backup_invalid", { details: { path, reason }, cause });
}
