/**
 * Ids: UUIDv7, created by the process that creates the record, so that they sort by time; UUIDv5 where the same input
 * must always give the same id.
 */
import { sha1 } from "./sha1.ts";

/** Marks a string as the id of one kind of thing. */
export type Id<Kind extends string> = string & { readonly __id: Kind };

let lastMs = 0;
let counter = 0;

/** Later calls in one process sort after earlier ones, even within a millisecond and when the clock steps back. */
export function uuidv7<Kind extends string>(nowMs: number = Date.now()): Id<Kind> {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = Buffer.from(crypto.getRandomValues(new Uint8Array(2))).readUInt16BE(0) & 0x07ff;
  } else {
    counter += 1;
    if (counter > 0x0fff) {
      lastMs += 1;
      counter = 0;
    }
  }
  const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(16)));
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return format(bytes) as Id<Kind>;
}

export function uuidv5<Kind extends string>(namespace: string, name: string): Id<Kind> {
  const named = Buffer.concat([Buffer.from(namespace.replaceAll("-", ""), "hex"), Buffer.from(name)]);
  const digest = sha1(named).subarray(0, 16);
  digest[6] = 0x50 | ((digest[6] ?? 0) & 0x0f);
  digest[8] = 0x80 | ((digest[8] ?? 0) & 0x3f);
  return format(digest) as Id<Kind>;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return uuidPattern.test(value);
}

function format(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
