/**
 * JSONL of any size: one record per line, blank lines and a byte order mark passed over, CRLF and LF alike.
 *
 * - `jsonLines(source, options)` yields `{ line, value }`; a line that cannot be read is an error with its number, or, when lenient, a
 *   `{ line, fault }` so that it is reported and not lost.
 */
import { DevflowError } from "@devflow/core/errors";
import { type ImportLimits, inMegabytes } from "../results/limits.ts";
import { askLenient, refuse } from "../results/refuse.ts";
import type { Source } from "../results/source.ts";
import { parseJson } from "./json-text.ts";

export type JsonLine =
  | { readonly line: number; readonly value: unknown; readonly notNumbers: number; readonly size: number }
  | { readonly line: number; readonly fault: string };

export async function* jsonLines(
  source: Source,
  options: { readonly lenient: boolean; readonly limits: ImportLimits },
): AsyncGenerator<JsonLine> {
  for await (const { line, bytes } of byteLines(source, options.limits)) {
    if (isBlank(bytes)) continue;
    const where = `${source.name}, line ${line}`;
    try {
      refuseDepth(bytes, options.limits, where);
      const { value, notNumbers } = parseJson(bytes, where);
      yield { line, value, notNumbers, size: bytes.length };
    } catch (error) {
      if (!(error instanceof DevflowError)) throw error;
      if (!options.lenient) throw refuse(error.message, askLenient, error);
      yield { line, fault: error.message };
    }
  }
}

async function* byteLines(
  source: Source,
  limits: ImportLimits,
): AsyncGenerator<{ readonly line: number; readonly bytes: Uint8Array }> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let line = 1;
  const whole = (last: Uint8Array) => (held.length === 0 ? last : Buffer.concat([...held, last]));
  for await (const piece of source.text()) {
    let from = 0;
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, from)) {
      yield { line, bytes: withoutMark(whole(piece.subarray(from, at)), line) };
      held = [];
      heldBytes = 0;
      line += 1;
      from = at + 1;
    }
    if (from < piece.length) held.push(piece.slice(from));
    heldBytes += piece.length - from;
    if (heldBytes > limits.recordBytes) {
      throw refuse(
        `${source.name}, line ${line} is longer than ${inMegabytes(limits.recordBytes)}.`,
        "JSONL has one record per line; if this is one large JSON file, name it .json.",
      );
    }
  }
  if (held.length > 0) yield { line, bytes: withoutMark(whole(new Uint8Array(0)), line) };
}

function withoutMark(bytes: Uint8Array, line: number): Uint8Array {
  const marked = line === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

/** The parser would recurse; a line of brackets must not exhaust the stack. */
function refuseDepth(bytes: Uint8Array, limits: ImportLimits, where: string): void {
  let inString = false;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (inString) {
      if (byte === 92) at += 1;
      else if (byte === 34) inString = false;
    } else if (byte === 34) inString = true;
    else if (byte === 123 || byte === 91) {
      depth += 1;
      if (depth > limits.depth) {
        throw refuse(`${where} nests deeper than ${limits.depth} levels.`, "Look at the file before importing it.");
      }
    } else if (byte === 125 || byte === 93) depth -= 1;
  }
}
