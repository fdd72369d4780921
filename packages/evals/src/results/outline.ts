/**
 * The first look at a file: which of the shapes it has, the run's own members, and the hash of its bytes. The results
 * themselves are passed over, so it needs no memory for them.
 *
 * - `outlineOf(source)` the outline, or a `JsonBroken`.
 */
import { createHash } from "node:crypto";
import { JsonBroken, type JsonPart, JsonSplitter } from "./json-splitter.ts";
import { parsePart } from "./parse-part.ts";
import type { ResultSource } from "./source.ts";

export const resultArrays: ReadonlySet<string> = new Set(["all_results", "results"]);

/** `object`: one run with its results inside. `array`: results only. `lines`: a record a line. */
export type FileShape = "object" | "array" | "lines";

export interface Outline {
  readonly shape: FileShape;
  readonly members: Readonly<Record<string, unknown>>;
  /** Which array holds the results; null outside of `object`. */
  readonly resultsMember: string | null;
  readonly contentSha: string;
  /** Faults in the run's own members. */
  readonly faults: readonly { readonly path: string; readonly problem: string; readonly member: string | null }[];
  readonly warnings: readonly string[];
  /** The file ends too early, or its structure breaks; what came before can be read. */
  readonly broken: JsonBroken | null;
}

export async function outlineOf(source: ResultSource): Promise<Outline> {
  const digest = createHash("sha256");
  const splitter = new JsonSplitter({ streamed: resultArrays, countOnly: true });
  const parts: JsonPart[] = [];
  const isNamedLines = /\.(?:jsonl|ndjson)$/i.test(source.path ?? "");
  let broken: JsonBroken | null = null;
  let isFirst = true;
  let firstByte = 0;
  for await (const whole of source.chunks()) {
    digest.update(whole);
    const chunk = isFirst ? withoutMark(whole, source.name) : whole;
    isFirst = false;
    firstByte ||= firstOf(chunk);
    if (broken || isNamedLines) continue;
    try {
      // Copied: the parts are looked at after the chunk is gone.
      for (const part of splitter.feed(chunk)) parts.push({ ...part, bytes: Buffer.from(part.bytes) });
    } catch (error) {
      broken = asBroken(error);
    }
  }
  if (!broken && !isNamedLines) {
    try {
      parts.push(...splitter.end());
    } catch (error) {
      broken = asBroken(error);
    }
  }
  const contentSha = digest.digest("hex");
  const isResultsOnly = splitter.names.includes("name") && !splitter.names.some((name) => resultArrays.has(name));
  if (isNamedLines || splitter.isSequence || (firstByte === 0x7b && isResultsOnly && !broken)) {
    return { shape: "lines", members: {}, resultsMember: null, contentSha, faults: [], warnings: [], broken: null };
  }
  const shape = firstByte === 0x5b ? "array" : "object";
  return { shape, contentSha, broken, ...headerOf(splitter, parts, firstByte) };
}

function headerOf(splitter: JsonSplitter, parts: readonly JsonPart[], firstByte: number) {
  const faults: Outline["faults"][number][] = [];
  const warnings: string[] = [];
  const entries: [string, unknown][] = [];
  if (firstByte !== 0x7b && firstByte !== 0x5b && firstByte !== 0) {
    faults.push({ path: "the file", problem: "expected an object with results, or a result a line", member: null });
  }
  for (const part of parts) {
    if (part.kind !== "member" || part.name === null) continue;
    const parsed = parsePart(part.bytes, part.facts);
    faults.push(...parsed.faults.map((problem) => ({ path: part.name as string, problem, member: part.name })));
    warnings.push(...parsed.warnings.map((warning) => `${part.name}: ${warning}`));
    if (parsed.value !== undefined) entries.push([part.name, parsed.value]);
  }
  const twice = splitter.names.filter((name, at) => splitter.names.indexOf(name) !== at);
  for (const name of new Set(twice)) faults.push({ path: name, problem: "expected once, found twice", member: null });
  const resultsMember = splitter.names.find((name) => resultArrays.has(name)) ?? null;
  const members = Object.fromEntries(entries.filter(([name]) => !resultArrays.has(name)));
  const notAList = entries.find(([name]) => resultArrays.has(name));
  if (notAList) faults.push({ path: notAList[0], problem: "expected a list of results", member: null });
  else if (resultsMember === null && firstByte === 0x7b) {
    faults.push({ path: "all_results", problem: "expected a list of results, found nothing", member: null });
  }
  return { members, resultsMember, faults, warnings };
}

/** Strips a byte order mark; the marks of UTF-16 and UTF-32 are no UTF-8. */
export function withoutMark(chunk: Buffer, name: string): Buffer {
  if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) return chunk.subarray(3);
  const isUtf16 = (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff);
  if (isUtf16) throw new JsonBroken(`${name} is UTF-16; save it as UTF-8`, "the file", 0);
  return chunk;
}

function firstOf(chunk: Buffer): number {
  for (const byte of chunk) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
  return 0;
}

function asBroken(error: unknown): JsonBroken {
  if (error instanceof JsonBroken) return error;
  throw error;
}
