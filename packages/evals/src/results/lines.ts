/**
 * Reads a file of any size line by line.
 *
 * - `linesOf(source, longest)` each line with its number, from 1, skipping blank lines. A line is valid until the next one is
 *   read. A line longer than `longest` throws a `JsonBroken`.
 */
import { JsonBroken } from "./json-splitter.ts";
import type { Source } from "./source.ts";

export interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

export async function* linesOf(source: Source, longest: number): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 1;
  const whole = (last: Buffer): Buffer => (held.length === 0 ? last : Buffer.concat([...held, last]));
  for await (const piece of source.text()) {
    let from = 0;
    for (let at = piece.indexOf(0x0a); at !== -1; at = piece.indexOf(0x0a, from)) {
      const bytes = whole(piece.subarray(from, at));
      if (!isBlank(bytes)) yield { number, bytes };
      held = [];
      heldBytes = 0;
      number += 1;
      from = at + 1;
    }
    // Copied, because the source reuses the chunk's memory.
    if (from < piece.length) held.push(Buffer.from(piece.subarray(from)));
    heldBytes += piece.length - from;
    if (heldBytes > longest) {
      const megabytes = Math.round(longest / 1024 / 1024);
      throw new JsonBroken(`line ${number} is longer than ${megabytes} MB`, `line ${number}`, 0, "too large");
    }
  }
  const last = whole(Buffer.alloc(0));
  if (!isBlank(last)) yield { number, bytes: last };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
