/**
 * Reads JSONL of any size: one record per line, skipping blank lines and a byte order mark, with CRLF or LF.
 *
 * - `jsonLines(source, options)` yields `{ line, value }`; an unreadable line is an error with its number or, if lenient, a
 *   `{ line, fault }` to be reported.
 */
import { DevflowError } from "@devflow/core/errors";
import { JsonBroken } from "../results/json-splitter.ts";
import { type ImportLimits, inMegabytes } from "../results/limits.ts";
import { type Line, linesOf } from "../results/lines.ts";
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
  for await (const { number: line, bytes } of wholeLines(source, options.limits)) {
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

async function* wholeLines(source: Source, limits: ImportLimits): AsyncGenerator<Line> {
  try {
    yield* linesOf(source, limits.recordBytes);
  } catch (error) {
    if (!(error instanceof JsonBroken)) throw error;
    const next = "JSONL has one record per line; if this is one large JSON value, rename the file to .json.";
    throw refuse(`${source.name}, ${error.path} is longer than ${inMegabytes(limits.recordBytes)}.`, next, error);
  }
}

/** The parser is recursive; a line of brackets must not exhaust the stack. */
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
        throw refuse(`${where} is nested deeper than ${limits.depth} levels.`, "Check the file before importing it.");
      }
    } else if (byte === 125 || byte === 93) depth -= 1;
  }
}
