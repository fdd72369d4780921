/**
 * Streams the bytes of one ZIP entry: only one chunk in memory at a time, and never more than the limits.
 *
 * - `new Unpacker(source, limits)` counts the total size of all entries; `pieces(entry)` unpacks one.
 *
 * Refused: sizes or checksums that differ from the directory, more than the ratio or the total, methods other than stored, deflate and zstd.
 */
import { createReadStream } from "node:fs";
import { PassThrough, type Transform } from "node:stream";
import { crc32, createInflateRaw, createZstdDecompress } from "node:zlib";
import { type ImportLimits, inMegabytes } from "../../results/limits.ts";
import { refuse } from "../../results/refuse.ts";
import type { Source } from "../../results/source.ts";
import { broken, type ZipEntry } from "./directory.ts";

const unpackers: Readonly<Record<number, () => Transform>> = {
  0: () => new PassThrough(),
  8: () => createInflateRaw(),
  93: () => createZstdDecompress(),
};

export class Unpacker {
  private unpacked = 0;

  private readonly source: Source;
  private readonly limits: ImportLimits;

  constructor(source: Source, limits: ImportLimits) {
    this.source = source;
    this.limits = limits;
  }

  async *pieces(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const make = unpackers[entry.method];
    if (make === undefined) throw broken(this.source, `${entry.name} uses compression method ${entry.method}`);
    const begin = entry.dataOffset ?? (await this.dataOffset(entry));
    if (begin + entry.packed > this.source.size)
      throw broken(this.source, `${entry.name} extends beyond the end of the file`);
    if (entry.packed === 0) {
      if (entry.unpacked !== 0) throw broken(this.source, `${entry.name} is empty, but its declared size is not 0`);
      return;
    }
    const unpack = make();
    const packed = createReadStream(this.source.path, { start: begin, end: begin + entry.packed - 1 });
    packed.on("error", (error) => unpack.destroy(error));
    packed.pipe(unpack);
    let size = 0;
    let sum = 0;
    try {
      for await (const piece of unpack as AsyncIterable<Uint8Array>) {
        size += piece.length;
        this.unpacked += piece.length;
        this.guard(entry, size);
        sum = crc32(piece, sum);
        yield piece;
      }
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (typeof code === "string" && /^(?:Z_|ZSTD|ERR_ZSTD|ERR_BUFFER|ERR_STREAM_PREMATURE|ERR__ERROR)/.test(code)) {
        throw broken(this.source, `${entry.name} cannot be unpacked (${(error as Error).message})`, error);
      }
      throw error;
    } finally {
      packed.destroy();
      unpack.destroy();
    }
    if (size !== entry.unpacked) {
      throw broken(this.source, `${entry.name} contains ${size} bytes, but declares ${entry.unpacked}`);
    }
    if (sum >>> 0 !== entry.crc >>> 0) throw broken(this.source, `the checksum of ${entry.name} is wrong`);
  }

  private guard(entry: ZipEntry, size: number): void {
    if (size > entry.unpacked)
      throw broken(this.source, `${entry.name} contains more than the declared ${entry.unpacked} bytes`);
    if (this.unpacked > this.limits.unpackedBytes) {
      throw this.bomb(`it unpacks to more than ${inMegabytes(this.limits.unpackedBytes)}`);
    }
    if (size > this.limits.ratioFromBytes && size > entry.packed * this.limits.ratio) {
      throw this.bomb(`${entry.name} unpacks to more than ${this.limits.ratio} times its size`);
    }
  }

  private bomb(why: string) {
    return refuse(
      `${this.source.name} was not imported: ${why}.`,
      "If you trust the log, push it as JSON: inspect log dump <file>",
    );
  }

  private async dataOffset(entry: ZipEntry): Promise<number> {
    const header = await this.source.at(entry.offset, 30);
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    if (header.length < 30 || view.getUint32(0, true) !== 0x04034b50) {
      throw broken(this.source, `${entry.name} is not where its directory says`);
    }
    return entry.offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  }
}
