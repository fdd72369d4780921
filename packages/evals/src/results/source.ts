/**
 * Where results come from: a file, a pipe, or bytes already in memory, readable more than once.
 *
 * - `openSource(given)` a pipe is first copied to a private file, because the format puts the run's facts behind its results.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ensurePrivateFolder } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";

export type GivenSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "stream"; readonly stream: AsyncIterable<Uint8Array>; readonly spoolFolder: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly name: string };

export interface ResultSource {
  /** For messages. */
  readonly name: string;
  /** Null for a pipe. */
  readonly path: string | null;
  /** Null for what has no file: each reading of a pipe is new. */
  readonly modifiedMs: number | null;
  chunks(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

const chunkBytes = 256 * 1024;

export async function openSource(given: GivenSource): Promise<ResultSource> {
  switch (given.kind) {
    case "file":
      return fileSource(given.path);
    case "bytes":
      return {
        name: given.name,
        path: given.name,
        modifiedMs: null,
        chunks: () => slices(Buffer.from(given.bytes.buffer, given.bytes.byteOffset, given.bytes.byteLength)),
        close: async () => {},
      };
    case "stream": {
      await ensurePrivateFolder(given.spoolFolder);
      const path = join(given.spoolFolder, `.stdin-${uuidv7()}.tmp`);
      await pipeline(given.stream, createWriteStream(path, { mode: 0o600, flags: "wx" }));
      const spooled = await fileSource(path);
      const close = () => rm(path, { force: true });
      return { ...spooled, name: "the input", path: null, modifiedMs: null, close };
    }
  }
}

async function fileSource(path: string): Promise<ResultSource> {
  const found = await stat(path).catch((error: { code?: string }) => {
    if (error.code !== "ENOENT") throw error;
    throw new DevflowError("not_found", { details: { what: path, next: "devflow eval push <file>" }, cause: error });
  });
  if (!found.isFile()) {
    const problem = `${path} is no file`;
    throw new DevflowError("input_invalid", { details: { problem, next: "devflow eval push <file>" } });
  }
  return {
    name: path,
    path,
    modifiedMs: found.mtimeMs,
    chunks: () => createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>,
    close: async () => {},
  };
}

async function* slices(bytes: Buffer): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
