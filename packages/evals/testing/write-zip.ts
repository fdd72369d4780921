/** Creates valid and invalid ZIP files for tests: every number in the file can be overridden. */
import { crc32, deflateRawSync, zstdCompressSync } from "node:zlib";

export interface ZipPart {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly method?: "stored" | "deflate" | "zstd" | number;
  readonly saysUnpacked?: number;
  readonly saysCrc?: number;
  readonly flags?: number;
  readonly saysOffset?: number;
}

const methods = { stored: 0, deflate: 8, zstd: 93 } as const;

export function writeZip(parts: readonly ZipPart[], options: { readonly withoutDirectory?: boolean } = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const data = Buffer.from(part.data as string);
    const method = typeof part.method === "number" ? part.method : methods[part.method ?? "deflate"];
    const packed = method === 8 ? deflateRawSync(data) : method === 93 ? zstdCompressSync(data) : data;
    const name = Buffer.from(part.name);
    const shared = Buffer.alloc(22);
    shared.writeUInt16LE(part.flags ?? 0, 0);
    shared.writeUInt16LE(method, 2);
    shared.writeUInt32LE(part.saysCrc ?? crc32(data), 8);
    shared.writeUInt32LE(packed.length, 12);
    shared.writeUInt32LE(part.saysUnpacked ?? data.length, 16);
    shared.writeUInt16LE(name.length, 20);
    const local = Buffer.concat([Buffer.from("PK\x03\x04\x14\x00", "latin1"), shared, Buffer.alloc(2), name, packed]);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(part.saysOffset ?? offset, 12);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00\x14\x00", "latin1"), shared, tail, name]));
    bodies.push(local);
    offset += local.length;
  }
  if (options.withoutDirectory) return Buffer.concat(bodies);
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, list, end]);
}
