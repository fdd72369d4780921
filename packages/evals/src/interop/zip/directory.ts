/**
 * Lists the entries of an untrusted ZIP. Nothing is unpacked to disk, so a name is only a key; it is checked nevertheless.
 *
 * - `readDirectory(source, limits)` the entries by name (of equal names the last: logs are appended to), and warnings about the file.
 *
 * A file without its directory (a killed run, a truncated copy) is read from the start, entry by entry, as far as it is complete.
 */
import { type ImportLimits, inMegabytes } from "../../results/limits.ts";
import { refuse } from "../../results/refuse.ts";
import type { Source } from "../../results/source.ts";

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly crc: number;
  /** Offset of the local header. */
  readonly offset: number;
  /** Offset of the data, if the entry was found without a directory. */
  readonly dataOffset: number | null;
}

export interface ZipDirectory {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly warnings: readonly string[];
}

const endLength = 22;
const mostComment = 65_535;

export async function readDirectory(source: Source, limits: ImportLimits): Promise<ZipDirectory> {
  const end = await findEnd(source);
  if (end === null) return rescueEntries(source, limits);
  if (end.count > limits.archiveEntries) throw tooMany(source, limits);
  if (end.offset + end.size > source.size) {
    throw broken(source, "its directory points beyond the end of the file");
  }
  if (end.size > limits.recordBytes)
    throw broken(source, `its directory is larger than ${inMegabytes(limits.recordBytes)}`);
  const bytes = await source.at(end.offset, end.size);
  const view = viewOf(bytes);
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let index = 0; index < end.count; index += 1) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) {
      throw broken(source, `its directory ends after ${index} of ${end.count} entries`);
    }
    const lengths = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const nameEnd = at + 46 + lengths[0]!;
    const extraEnd = nameEnd + lengths[1]!;
    if (extraEnd + lengths[2]! > bytes.length) throw broken(source, `entry ${index + 1} of its directory is truncated`);
    const name = checkedName(source, bytes.subarray(at + 46, nameEnd));
    if ((view.getUint16(at + 8, true) & 1) !== 0) throw encrypted(source, name);
    const large = largeSizes(bytes.subarray(nameEnd, extraEnd), [
      view.getUint32(at + 24, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 42, true),
    ]);
    entries.set(name, {
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      unpacked: large[0]!,
      packed: large[1]!,
      offset: large[2]!,
      dataOffset: null,
    });
    at = extraEnd + lengths[2]!;
  }
  return { entries, warnings: [] };
}

async function findEnd(source: Source): Promise<{ offset: number; size: number; count: number } | null> {
  const from = Math.max(0, source.size - endLength - mostComment);
  const tail = await source.at(from, source.size - from);
  const view = viewOf(tail);
  for (let at = tail.length - endLength; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    const plain = {
      count: view.getUint16(at + 10, true),
      size: view.getUint32(at + 12, true),
      offset: view.getUint32(at + 16, true),
    };
    const isLarge = plain.count === 0xffff || plain.size === 0xffffffff || plain.offset === 0xffffffff;
    if (!isLarge || at < 20 || view.getUint32(at - 20, true) !== 0x07064b50) return plain;
    const record = await source.at(Number(view.getBigUint64(at - 12, true)), 56);
    if (record.length < 56) throw broken(source, "its directory points beyond the end of the file");
    const large = viewOf(record);
    if (large.getUint32(0, true) !== 0x06064b50) throw broken(source, "its directory is not where the file says");
    return {
      count: Number(large.getBigUint64(32, true)),
      size: Number(large.getBigUint64(40, true)),
      offset: Number(large.getBigUint64(48, true)),
    };
  }
  return null;
}

/** Sizes beyond 4 GB are in an extra field, in this order, each only if the plain field indicates it. */
function largeSizes(extra: Uint8Array, plain: readonly number[]): number[] {
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === 1) {
      let place = at + 4;
      return plain.map((size) => {
        if (size !== 0xffffffff || place + 8 > extra.length) return size;
        place += 8;
        return Number(view.getBigUint64(place - 8, true));
      });
    }
    at += 4 + length;
  }
  return [...plain];
}

async function rescueEntries(source: Source, limits: ImportLimits): Promise<ZipDirectory> {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  let met = 0;
  while (at + 30 <= source.size) {
    const header = await source.at(at, 30);
    const view = viewOf(header);
    if (header.length < 30 || view.getUint32(0, true) !== 0x04034b50) break;
    met += 1;
    if (met > limits.archiveEntries) throw tooMany(source, limits);
    const flags = view.getUint16(6, true);
    const nameLength = view.getUint16(26, true);
    const packed = view.getUint32(18, true);
    const name = checkedName(source, await source.at(at + 30, nameLength));
    if ((flags & 1) !== 0) throw encrypted(source, name);
    const dataOffset = at + 30 + nameLength + view.getUint16(28, true);
    // Sizes that follow the data or are in the directory are not available here.
    if ((flags & 8) !== 0 || packed === 0xffffffff || dataOffset + packed > source.size) break;
    entries.set(name, {
      name,
      method: view.getUint16(8, true),
      crc: view.getUint32(14, true),
      packed,
      unpacked: view.getUint32(22, true),
      offset: at,
      dataOffset,
    });
    at = dataOffset + packed;
  }
  if (entries.size === 0) throw broken(source, "it has no directory and does not start with a complete entry");
  return { entries, warnings: [`the archive is truncated; ${entries.size} complete entries were read from its start`] };
}

function checkedName(source: Source, bytes: Uint8Array): string {
  const name = new TextDecoder().decode(bytes);
  const parts = name.split(/[/\\]/);
  if (name.startsWith("/") || /^[a-z]:/i.test(name) || parts.includes("..") || name.includes("\0")) {
    throw broken(source, `the entry ${JSON.stringify(name.slice(0, 100))} points outside the archive`);
  }
  return name;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function broken(source: Source, what: string, cause?: unknown) {
  return refuse(`${source.name} is not a valid ZIP archive: ${what}.`, "Copy it again from its source.", cause);
}

function encrypted(source: Source, name: string) {
  return refuse(`${source.name} is encrypted (${name}).`, "Unpack it with its password and push the contents.");
}

function tooMany(source: Source, limits: ImportLimits) {
  return refuse(`${source.name} has more than ${limits.archiveEntries} entries.`, "Split the log by task.");
}
