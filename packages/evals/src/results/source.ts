/**
 * The source of results: a file that can be read repeatedly, from any offset.
 *
 * - `openSource(path | stream, …)` a stream is copied to a private temporary file first, because results are counted before they are yielded.
 * - `source.head()` the first bytes; `source.bytes()` all bytes in chunks, each valid until the next is read; `source.text()` the same as UTF-8 without a byte order mark;
 *   `source.at(offset, length)` a range; `source.contentSha()` the SHA-256 of the whole content, for the run's identity.
 * - `close()` removes the temporary copy.
 */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { finished } from "node:stream/promises";
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

export async function openSource(
  input: ImportInput,
  name: string | undefined,
  limits: ImportLimits = defaultLimits,
): Promise<Source> {
  if (typeof input === "string") return sourceOfFile(input, name ?? basename(input), input, limits, false);
  const folder = await mkdtemp(join(tmpdir(), "devflow-import-"));
  try {
    const path = join(folder, "input");
    await spool(input, path, limits);
    const source = await sourceOfFile(path, name ?? "standard input", name ?? null, limits, true);
    return { ...source, close: () => rm(folder, { recursive: true, force: true }) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
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
    if (error.code !== "ENOENT") throw error;
    throw new DevflowError("not_found", { details: { what: path, next: "Check the path." }, cause: error });
  });
  if (!found.isFile()) throw refuse(`${path} is not a file.`, "Give a result file: devflow eval push <file>");
  if (found.size > limits.fileBytes) throw tooLarge(name, limits);
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

async function spool(input: AsyncIterable<Uint8Array>, path: string, limits: ImportLimits): Promise<void> {
  const file = createWriteStream(path, { mode: 0o600 });
  let size = 0;
  try {
    for await (const piece of input) {
      size += piece.length;
      if (size > limits.fileBytes) throw tooLarge("standard input", limits);
      if (!file.write(piece)) await new Promise((resolve) => file.once("drain", resolve));
    }
  } finally {
    file.end();
    await finished(file);
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

function tooLarge(name: string, limits: ImportLimits) {
  return refuse(
    `${name} is larger than ${inMegabytes(limits.fileBytes)}, the maximum for one import.`,
    "Split it by suite or run, and push the parts.",
  );
}
