/**
 * The first pass over a file: finds its shape and the run's members. Results are skipped, so they need no memory.
 *
 * - `outlineOf(source)` the outline, or a `JsonBroken`.
 */
import { JsonBroken, type JsonPart, JsonSplitter } from "./json-splitter.ts";
import { parsePart } from "./parse-part.ts";
import type { Source } from "./source.ts";

export const resultPlan = { all_results: "stream", results: "stream" } as const;
const resultArrays: ReadonlySet<string> = new Set(Object.keys(resultPlan));

/** `object`: one run with its results. `array`: results only. `lines`: one record per line. */
export type FileShape = "object" | "array" | "lines";

export interface Outline {
  readonly shape: FileShape;
  readonly members: Readonly<Record<string, unknown>>;
  /** The member with the results; null unless the shape is `object`. */
  readonly resultsMember: string | null;
  /** Errors in the run's members. */
  readonly faults: readonly { readonly path: string; readonly problem: string; readonly member: string | null }[];
  readonly warnings: readonly string[];
  /** The file is truncated, or its structure is broken; what came before can be read. */
  readonly broken: JsonBroken | null;
}

export async function outlineOf(source: Source): Promise<Outline> {
  const splitter = new JsonSplitter({ plan: resultPlan, streamsTop: true, countOnly: true });
  const parts: JsonPart[] = [];
  const isNamedLines = /\.(?:jsonl|ndjson)$/i.test(source.givenName ?? "");
  let broken: JsonBroken | null = null;
  let firstByte = 0;
  for await (const chunk of source.text()) {
    firstByte ||= firstOf(chunk);
    if (broken || isNamedLines) break;
    try {
      // Copied, because the parts are used after the chunk is reused.
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
  const isResultsOnly = splitter.names.includes("name") && !splitter.names.some((name) => resultArrays.has(name));
  if (isNamedLines || splitter.isSequence || (firstByte === 0x7b && isResultsOnly && !broken)) {
    return { shape: "lines", members: {}, resultsMember: null, faults: [], warnings: [], broken: null };
  }
  const shape = firstByte === 0x5b ? "array" : "object";
  return { shape, broken, ...headerOf(splitter, parts, firstByte) };
}

function headerOf(splitter: JsonSplitter, parts: readonly JsonPart[], firstByte: number) {
  const faults: Outline["faults"][number][] = [];
  const warnings: string[] = [];
  const entries: [string, unknown][] = [];
  if (firstByte !== 0x7b && firstByte !== 0x5b && firstByte !== 0) {
    faults.push({ path: "the file", problem: "expected an object with results, or one result per line", member: null });
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

function firstOf(chunk: Buffer): number {
  for (const byte of chunk) if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
  return 0;
}

function asBroken(error: unknown): JsonBroken {
  if (error instanceof JsonBroken) return error;
  throw error;
}
