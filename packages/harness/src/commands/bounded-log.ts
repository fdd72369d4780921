/**
 * Keeps one output stream of a command: on disk up to a limit, in memory only its end.
 *
 * - `keepLog(stream, options)` reads the stream to its end; returns size, hash and tail.
 *
 * Past the limit the file notes how much is missing and continues with the end of the output, where failures usually are.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

export interface KeptLog {
  readonly path: string;
  /** What the command printed, stored or not. */
  readonly bytes: number;
  /** SHA-256 of the file, in hex. */
  readonly hash: string;
  readonly isCut: boolean;
}

export interface KeepLogOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly tailBytes: number;
}

export type LogFile = Awaited<ReturnType<typeof openLog>>;

/** Opened before the command starts: an unwritable log must fail before the command runs. */
export async function openLog(path: string) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A link at its path would let someone choose which file is overwritten.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  await file.chmod(0o600);
  return file;
}

export async function keepLog(
  stream: AsyncIterable<Buffer>,
  file: LogFile,
  { path, maxBytes, tailBytes }: KeepLogOptions,
): Promise<{ log: KeptLog; tail: Buffer }> {
  const sum = createHash("sha256");
  const end = new Tail(tailBytes);
  const write = async (chunk: Uint8Array) => {
    sum.update(chunk);
    await file.writeFile(chunk);
  };
  let bytes = 0;
  try {
    for await (const chunk of untilClosed(stream)) {
      const room = maxBytes - bytes;
      bytes += chunk.length;
      end.push(chunk);
      if (room > 0) await write(chunk.subarray(0, room));
    }
    const missing = bytes - maxBytes;
    if (missing > 0) {
      const kept = end.last(Math.min(missing, tailBytes));
      await write(Buffer.from(`\n[devflow: ${missing - kept.length} bytes omitted]\n`));
      await write(kept);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { log: { path, bytes, hash: sum.digest("hex"), isCut: bytes > maxBytes }, tail: end.last(tailBytes) };
}

/** A stream closed from our side has ended; what was read until then counts. */
async function* untilClosed(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** The last bytes of a stream; uses at most twice the requested memory. */
class Tail {
  private chunks: Buffer[] = [];
  private size = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    while (this.size - (this.chunks[0]?.length ?? 0) >= this.most) this.size -= this.chunks.shift()?.length ?? 0;
  }

  last(count: number): Buffer {
    const all = Buffer.concat(this.chunks);
    return all.subarray(Math.max(0, all.length - count));
  }
}
