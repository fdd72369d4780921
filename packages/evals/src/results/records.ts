/**
 * The raw records of a file, one by one, whatever its shape.
 *
 * - `recordsOf(source, outline)` each with the path that names it in messages.
 */
import { JsonBroken, JsonSplitter } from "./json-splitter.ts";
import { type Outline, resultArrays } from "./outline.ts";
import { parsePart } from "./parse-part.ts";
import type { Source } from "./source.ts";

export interface RawRecord {
  readonly path: string;
  /** Undefined when it could not be parsed. */
  readonly value: unknown;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

const maxLineBytes = 64 * 1024 * 1024;

export function recordsOf(source: Source, outline: Outline): AsyncIterator<RawRecord> {
  return outline.shape === "lines" ? lineRecords(source) : elementRecords(source);
}

async function* elementRecords(source: Source): AsyncGenerator<RawRecord> {
  const splitter = new JsonSplitter({ streamed: resultArrays });
  for await (const chunk of source.text()) {
    for (const part of splitter.feed(chunk)) {
      if (part.kind === "element")
        yield { path: `${part.name ?? ""}[${part.index}]`, ...parsePart(part.bytes, part.facts) };
    }
  }
  splitter.end();
}

async function* lineRecords(source: Source): AsyncGenerator<RawRecord> {
  let number = 0;
  for await (const line of linesOf(source)) {
    number += 1;
    if (line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) continue;
    yield parseLine(line, `line ${number}: `);
  }
  if (number === 0) throw new JsonBroken("there is nothing in it", "the file", 0);
}

/** The structure is checked on the way, so that one broken line cannot reach into the next. */
function parseLine(line: Buffer, path: string): RawRecord {
  const splitter = new JsonSplitter({ streamed: new Set() });
  let facts = { depth: 0, names: 0, hasLongNumber: false };
  try {
    for (const part of [...splitter.feed(line), ...splitter.end()]) {
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

async function* linesOf(source: Source): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  const keep = (piece: Buffer) => {
    length += piece.length;
    if (length > maxLineBytes) throw new JsonBroken("a line is larger than 64 MB", "the file", 0);
    pieces.push(Buffer.from(piece));
  };
  for await (const chunk of source.text()) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      if (pieces.length === 0) {
        yield rest;
        continue;
      }
      keep(rest);
      const line = Buffer.concat(pieces);
      pieces = [];
      length = 0;
      yield line;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}
