/**
 * The file of one run, with random access: results in compressed blocks, rows without texts, and a table of both at the end.
 *
 * - `RunFileWriter`: `add(result, row)`, `finish(record)`; the file is complete on disk when `finish` resolves.
 * - `openRunFile(path)` → `RunFile`: `record`, `storedRows()`, `results(ordinals)`, `all()`, `superseded()`.
 *
 * The file is a sequence of zstd frames, so `zstdcat` prints it: one result per line, the run last. Rows and table are in a
 * skippable frame at the end: `… | 50 2A 4D 18 | size | row chunks | table | table's length | "DFEV"`.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { DevflowError } from "@devflow/core/errors";
import type { EvalResult } from "../results/result.ts";
import { PackedRows } from "./packed-rows.ts";
import type { ResultRow } from "./result-row.ts";
import { checkedRecord, type RunRecord } from "./run-record.ts";

interface Piece {
  readonly offset: number;
  readonly length: number;
  /** Ordinal of its first result. */
  readonly first: number;
  readonly count: number;
}

interface FileTable {
  readonly version: 1;
  readonly blocks: readonly Piece[];
  readonly superseded: readonly Piece[];
  readonly rows: readonly Piece[];
  readonly record: { readonly offset: number; readonly length: number };
}

const blockBytes = 256 * 1024;
const magic = Buffer.from("DFEV");
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18]);

export class RunFileWriter {
  readonly #file: FileHandle;
  #offset = 0;
  #count = 0;
  #superseded = 0;
  #isSuperseded = false;
  #lines: string[] = [];
  #lineBytes = 0;
  #rows: string[] = [];
  #rowBytes = 0;
  readonly #blocks: Piece[] = [];
  readonly #supersededBlocks: Piece[] = [];
  readonly #rowChunks: { readonly bytes: Buffer; readonly first: number; readonly count: number }[] = [];

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(result: EvalResult, row: ResultRow): Promise<void> {
    this.#addRow(JSON.stringify(row));
    this.#count += 1;
    await this.#addLine(JSON.stringify(result));
  }

  /** Adds results that do not count; call it after the last `add`. */
  async addSuperseded(result: EvalResult): Promise<void> {
    if (!this.#isSuperseded) await this.#flushLines();
    this.#isSuperseded = true;
    this.#superseded += 1;
    await this.#addLine(JSON.stringify(result));
  }

  async finish(record: RunRecord): Promise<void> {
    await this.#flushLines();
    this.#flushRows();
    const line = pack(`${JSON.stringify({ run: record })}\n`);
    const recordAt = { offset: this.#offset, length: line.length };
    await this.#write(line);
    // After the skippable frame's eight-byte header.
    let offset = this.#offset + 8;
    const rows = this.#rowChunks.map(({ bytes, first, count }) => {
      const piece = { offset, length: bytes.length, first, count };
      offset += bytes.length;
      return piece;
    });
    const table: FileTable = {
      version: 1,
      blocks: this.#blocks,
      superseded: this.#supersededBlocks,
      rows,
      record: recordAt,
    };
    const packed = pack(JSON.stringify(table));
    const payload = [...this.#rowChunks.map(({ bytes }) => bytes), packed, uint32(packed.length), magic];
    const size = payload.reduce((sum, bytes) => sum + bytes.length, 0);
    await this.#write(Buffer.concat([skippable, uint32(size), ...payload]));
    await this.#file.sync();
  }

  async #addLine(line: string): Promise<void> {
    this.#lines.push(line);
    this.#lineBytes += line.length;
    if (this.#lineBytes >= blockBytes) await this.#flushLines();
  }

  async #flushLines(): Promise<void> {
    const count = this.#lines.length;
    if (count === 0) return;
    const bytes = pack(`${this.#lines.join("\n")}\n`);
    const blocks = this.#isSuperseded ? this.#supersededBlocks : this.#blocks;
    const seen = this.#isSuperseded ? this.#superseded : this.#count;
    blocks.push({ offset: this.#offset, length: bytes.length, first: seen - count, count });
    this.#lines = [];
    this.#lineBytes = 0;
    await this.#write(bytes);
  }

  #addRow(line: string): void {
    this.#rows.push(line);
    this.#rowBytes += line.length;
    if (this.#rowBytes >= blockBytes) this.#flushRows(1);
  }

  /** Compressed immediately: the rows of a very large run would not fit in memory as text. */
  #flushRows(ahead = 0): void {
    const count = this.#rows.length;
    if (count === 0) return;
    const bytes = pack(`[${this.#rows.join(",")}]`);
    this.#rowChunks.push({ bytes, first: this.#count + ahead - count, count });
    this.#rows = [];
    this.#rowBytes = 0;
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#offset + done);
      done += bytesWritten;
    }
    this.#offset += bytes.length;
  }
}

export interface RunFile {
  readonly record: RunRecord;
  readonly resultCount: number;
  /** The rows, to be read repeatedly and without waiting; checked once. It may be used after `close`. */
  storedRows(rest: () => void): Promise<PackedRows>;
  /** In the requested order. */
  results(ordinals: readonly number[]): Promise<EvalResult[]>;
  /** The same without waiting, from the file's path: it may be called after `close`. */
  reader(rest: () => void): (ordinals: readonly number[]) => EvalResult[];
  /** Block by block, as JSON. */
  all(): AsyncIterable<readonly EvalResult[]>;
  superseded(): AsyncIterable<readonly EvalResult[]>;
  close(): Promise<void>;
}

export async function openRunFile(path: string): Promise<RunFile> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? error : unreadable(path, `it cannot be opened (${error.code})`, error);
  });
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw unreadable(path, "it is not a file");
    const { size } = facts;
    const table = await readTable(file, size, path);
    const record = await readRecord(file, table, path);
    const block = (piece: Piece) => reading(path, async () => linesOf(await unpack(file, piece)));
    const packedRows = ({ offset, length }: Piece) => readAt(file, offset, length);
    return {
      record,
      resultCount: table.blocks.reduce((sum, { count }) => sum + count, 0),
      storedRows: async (rest) => {
        for (const [at, piece] of table.rows.entries()) {
          await reading(path, async () => void zstdDecompressSync(await packedRows(piece)));
          if (at % 32 === 31) rest();
        }
        const count = table.rows.reduce((sum, piece) => sum + piece.count, 0);
        return new PackedRows((at) => unpackRows(readPiece(path, table.rows[at]!)), table.rows.length, count, rest);
      },
      results: async (ordinals) => {
        const found = new Map<number, EvalResult>();
        for (const [piece, wanted] of byBlock(table.blocks, ordinals)) {
          const lines = await block(piece);
          for (const at of wanted) found.set(at, JSON.parse(lines[at - piece.first] as string) as EvalResult);
        }
        return ordinals.flatMap((at) => found.get(at) ?? []);
      },
      reader: (rest) => (ordinals) => readNow(path, table.blocks, ordinals, rest),
      all: () => parsedBlocks(table.blocks, block),
      superseded: () => parsedBlocks(table.superseded, block),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Which of the ordinals are in which block; blocks are in order of their first ordinal. */
function byBlock(blocks: readonly Piece[], ordinals: readonly number[]): Map<Piece, number[]> {
  const found = new Map<Piece, number[]>();
  for (const at of ordinals) {
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (blocks[middle]!.first <= at) low = middle;
      else high = middle - 1;
    }
    const piece = blocks[low];
    if (!piece || at < piece.first || at >= piece.first + piece.count) continue;
    const own = found.get(piece);
    if (own) own.push(at);
    else found.set(piece, [at]);
  }
  return found;
}

function readNow(path: string, blocks: readonly Piece[], ordinals: readonly number[], rest: () => void): EvalResult[] {
  let read = 0;
  const found = new Map<number, EvalResult>();
  for (const [piece, wanted] of byBlock(blocks, ordinals)) {
    const lines = new Map(wanted.map((at) => [at - piece.first, at]));
    for (const [line, text] of someLines(zstdDecompressSync(readPiece(path, piece)), lines)) {
      found.set(lines.get(line)!, JSON.parse(text) as EvalResult);
    }
    if (++read % 32 === 0) rest();
  }
  return ordinals.flatMap((at) => found.get(at) ?? []);
}

/** Decodes only the wanted lines: a block has a quarter of a megabyte. */
function* someLines(bytes: Buffer, wanted: ReadonlyMap<number, unknown>): Generator<[number, string]> {
  let start = 0;
  for (let line = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (wanted.has(line)) yield [line, bytes.toString("utf8", start, end)];
    start = end + 1;
  }
}

function readPiece(path: string, { offset, length }: Piece): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}

function unpackRows(packed: Buffer): readonly ResultRow[] {
  return JSON.parse(zstdDecompressSync(packed).toString("utf8")) as ResultRow[];
}

/** The last frame, checked: numbers that JSON cannot hold are null in files of earlier versions. */
async function readRecord(file: FileHandle, table: FileTable, path: string): Promise<RunRecord> {
  const last = await reading(path, async () => JSON.parse(await unpack(file, table.record)) as { run: unknown });
  return checkedRecord(last.run, (reason) => unreadable(path, reason));
}

async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unreadable(path, `its results cannot be read (${(cause as Error).message})`, cause);
  }
}

async function* parsedBlocks(pieces: readonly Piece[], block: (piece: Piece) => Promise<string[]>) {
  for (const piece of pieces) yield (await block(piece)).map((line) => JSON.parse(line) as EvalResult);
}

/**
 * Level 1: half the time of the default level for a tenth more bytes, on results with long texts. The checksum turns a
 * damaged byte into an error instead of another answer.
 */
function pack(text: string): Buffer {
  return zstdCompressSync(text, {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
  });
}

const linesOf = (text: string): string[] => text.slice(0, -1).split("\n");

async function readTable(file: FileHandle, size: number, path: string): Promise<FileTable> {
  const tail = await readAt(file, Math.max(0, size - 8), Math.min(8, size));
  const length = tail.length === 8 ? tail.readUInt32LE(0) : 0;
  if (!tail.subarray(4).equals(magic) || length + 8 > size) throw unreadable(path, incomplete);
  try {
    const packed = await readAt(file, size - 8 - length, length);
    const table = JSON.parse(zstdDecompressSync(packed).toString("utf8")) as FileTable;
    if (table.version !== 1) throw new Error(`version ${table.version}`);
    return table;
  } catch (cause) {
    throw unreadable(path, incomplete, cause);
  }
}

const incomplete = "it is not a complete eval run";

function unreadable(path: string, reason: string, cause?: unknown): DevflowError {
  const problem = `${path} cannot be used: ${reason}`;
  return new DevflowError("internal_state_corruption", { details: { problem, reason }, cause });
}

/** Why a run's file cannot be used; null for any other error. */
export function unreadableReason(error: unknown): string | null {
  if (!(error instanceof DevflowError) || error.code !== "internal_state_corruption") return null;
  return String(error.details.reason ?? error.message);
}

async function unpack(file: FileHandle, { offset, length }: { offset: number; length: number }): Promise<string> {
  return zstdDecompressSync(await readAt(file, offset, length)).toString("utf8");
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
