/**
 * Reads the raw records of a file one by one, for any shape.
 *
 * - `recordsOf(source, outline)` each with its path, for messages.
 */
import { JsonBroken, JsonSplitter } from "./json-splitter.ts";
import { linesOf } from "./lines.ts";
import { type Outline, resultPlan } from "./outline.ts";
import { parsePart } from "./parse-part.ts";
import type { Source } from "./source.ts";

export interface RawRecord {
  readonly path: string;
  /** Undefined if it could not be parsed. */
  readonly value: unknown;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

const maxLineBytes = 64 * 1024 * 1024;

export function recordsOf(source: Source, outline: Outline): AsyncIterator<RawRecord> {
  return outline.shape === "lines" ? lineRecords(source) : elementRecords(source);
}

async function* elementRecords(source: Source): AsyncGenerator<RawRecord> {
  const splitter = new JsonSplitter({ plan: resultPlan, streamsTop: true });
  for await (const chunk of source.text()) {
    for (const part of splitter.feed(chunk)) {
      if (part.kind === "element")
        yield { path: `${part.name ?? ""}[${part.index}]`, ...parsePart(part.bytes, part.facts) };
    }
  }
  splitter.end();
}

async function* lineRecords(source: Source): AsyncGenerator<RawRecord> {
  let isEmpty = true;
  for await (const { number, bytes } of linesOf(source, maxLineBytes)) {
    isEmpty = false;
    yield parseLine(bytes, `line ${number}: `);
  }
  if (isEmpty) throw new JsonBroken("it is empty", "the file", 0);
}

/** Checks the structure of each line, so that a broken one does not affect the next. */
function parseLine(line: Buffer, path: string): RawRecord {
  const splitter = new JsonSplitter({ plan: {} });
  let facts = { depth: 0, names: 0, hasLongNumber: false };
  try {
    for (const part of [...splitter.feed(line), ...splitter.end()]) {
      if (part.kind === "object") continue;
      facts = {
        depth: Math.max(facts.depth, part.facts.depth + 1),
        names: facts.names + part.facts.names + (part.kind === "member" ? 1 : 0),
        hasLongNumber: facts.hasLongNumber || part.facts.hasLongNumber,
      };
    }
  } catch (error) {
    if (!(error instanceof JsonBroken)) throw error;
    return { path, value: undefined, faults: [`expected JSON: ${error.message}`], warnings: [] };
  }
  return { path, ...parsePart(line, facts) };
}
