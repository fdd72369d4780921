/**
 * The source of results: a file that can be read repeatedly, from any offset.
 *
 * - `openSource(path | stream, …)` a stream is copied to a private temporary file first, because results are counted before they are yielded.
 * - `source.head()` the first bytes; `source.bytes()` all bytes in chunks, each valid until the next is read; `source.text()` the same as UTF-8 without a byte order mark;
 *   `source.at(offset, length)` a range; `source.contentSha()` the SHA-256 of the whole content, for the run's identity.
 * - `close()` removes the temporary copy; what a killed process left is removed by the next.
 */
import { createHash } from "node:crypto";
import { createWriteStream, type Stats } from "node:fs";
import { mkdtemp, open, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DevflowError } from "@devflow/core/errors";
import { defaultLimits, type ImportLimits, inMegabytes } from "./limits.ts";
import { refuse } from "./refuse.ts";

export interface Source {
  /** For messages. */
  readonly name: string;
  /** The name that the caller gave; null for a pipe without a name. */
  readonly givenName: string | null;
  readonly path: string;
  readonly size: number;
  /** Null for a stream. */
  readonly mtimeMs: number | null;
  head(): Promise<Uint8Array>;
  bytes(): AsyncIterable<Buffer>;
  text(): AsyncIterable<Buffer>;
  at(offset: number, length: number): Promise<Uint8Array>;
  contentSha(): Promise<string>;
  close(): Promise<void>;
}

export const headBytes = 64 * 1024;

export type ImportInput = string | AsyncIterable<Uint8Array>;

export interface OpenOptions {
  readonly limits?: ImportLimits;
  /** Stops copying a stream. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the first bytes of a stream as soon as they are there; throws if they are not worth waiting for the rest. */
  readonly checkHead?: (head: Uint8Array, name: string) => void;
}

export async function openSource(
  input: ImportInput,
  name: string | undefined,
  { limits = defaultLimits, signal, checkHead }: OpenOptions = {},
): Promise<Source> {
  if (typeof input === "string") return sourceOfFile(input, name ?? basename(input), input, limits, false);
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${spoolPrefix}${process.pid}-`));
  try {
    const path = join(folder, "input");
    const title = name ?? "standard input";
    await spool(input, path, { limits, signal, checkHead: (head) => checkHead?.(head, title) });
    const source = await sourceOfFile(path, title, name ?? null, limits, true);
    return { ...source, close: () => rm(folder, { recursive: true, force: true }) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const spoolPrefix = "devflow-import-";

/** The copies of processes that were killed: their names tell whose they are. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(spoolPrefix) ? Number(/^\d+/.exec(name.slice(spoolPrefix.length))?.[0]) : Number.NaN;
    if (Number.isInteger(owner) && owner > 0 && !isAlive(owner)) {
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
    }
  }
}

/** A process of another user exists too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function sourceOfFile(
  path: string,
  name: string,
  givenName: string | null,
  limits: ImportLimits,
  spooled: boolean,
): Promise<Source> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") {
      throw new DevflowError("not_found", { details: { what: path, next: "Check the path." }, cause: error });
    }
    if (error.code === "ELOOP") throw refuse(`${path} is a loop of symbolic links.`, giveFile, error);
    if (error.code === "ENAMETOOLONG") throw refuse(`"${path.slice(0, 60)}…" is too long for a path.`, giveFile, error);
    throw error;
  });
  if (!found.isFile()) throw notAFile(path, found);
  if (found.size > limits.fileBytes) throw tooLarge(name, limits.fileBytes);
  let contentSha: Promise<string> | undefined;
  const source: Source = {
    name,
    givenName,
    path,
    size: found.size,
    mtimeMs: spooled ? null : found.mtimeMs,
    head: () => source.at(0, headBytes),
    bytes: () => readInPieces(path),
    text: () => asUtf8(readInPieces(path)),
    at: (offset, length) => readAt(path, offset, length),
    contentSha: () => {
      contentSha ??= hashOf(path);
      return contentSha;
    },
    close: async () => {},
  };
  return source;
}

const giveFile = "Give a result file: devflow eval push <file>";

function notAFile(path: string, found: Stats): DevflowError {
  if (found.isFIFO()) return refuse(`${path} is a named pipe.`, `Read it as a stream: devflow eval push - < ${path}`);
  const what = found.isDirectory() ? "a folder" : found.isSocket() ? "a socket" : "a device";
  return refuse(`${path} is ${what}.`, giveFile);
}

interface Spooling {
  readonly limits: ImportLimits;
  readonly signal: AbortSignal | undefined;
  readonly checkHead: (head: Uint8Array) => void;
}

/** `pipeline` also ends when the disk is full, where waiting for "drain" would not. */
async function spool(input: AsyncIterable<Uint8Array>, path: string, spooling: Spooling): Promise<void> {
  const { signal } = spooling;
  await pipeline(Readable.from(boundedPieces(input, spooling)), createWriteStream(path, { mode: 0o600 }));
  // If a whole pipeline is interrupted, its end arrives together with the signal.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

async function* boundedPieces(input: AsyncIterable<Uint8Array>, { limits, checkHead, signal }: Spooling) {
  let size = 0;
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of untilAborted(input, signal)) {
    size += piece.length;
    if (size > limits.pipeBytes) throw tooLarge("standard input", limits.pipeBytes);
    if (head) {
      head = Buffer.concat([head, piece]);
      if (head.length >= headBytes) {
        checkHead(head.subarray(0, headBytes));
        head = null;
      }
    }
    yield piece;
  }
}

/** Gives up waiting for a stream that may never go on; the stream itself is left alone, because closing it would wait too. */
async function* untilAborted(input: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const stopped = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => {});
  const pieces = input[Symbol.asyncIterator]();
  for (;;) {
    signal?.throwIfAborted();
    const next = await Promise.race([pieces.next(), stopped]);
    if (next.done) return;
    yield next.value;
  }
}

/** One buffer for all chunks: a gigabyte of new ones would stay in memory until garbage collection. */
async function* readInPieces(path: string): AsyncIterable<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(256 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function readAt(path: string, offset: number, length: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const buffer = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

async function hashOf(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const piece of readInPieces(path)) sum.update(piece);
  return sum.digest("hex");
}

/** Drops a UTF-8 byte order mark, and converts UTF-16, which PowerShell's `>` writes, to UTF-8. */
async function* asUtf8(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let decoder: TextDecoder | undefined;
  let first = true;
  for await (const piece of pieces) {
    let text = piece;
    if (first) {
      first = false;
      const encoding = encodingOf(piece);
      if (encoding !== "utf-8") decoder = new TextDecoder(encoding);
      else if (piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf) text = piece.subarray(3);
    }
    yield decoder === undefined ? text : Buffer.from(decoder.decode(piece, { stream: true }));
  }
  const rest = decoder?.decode() ?? "";
  if (rest !== "") yield Buffer.from(rest);
}

export function encodingOf(head: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  return "utf-8";
}

function tooLarge(name: string, bytes: number) {
  return refuse(
    `${name} is larger than ${inMegabytes(bytes)}, the maximum for one import.`,
    "Split it by suite or run, and push the parts.",
  );
}
