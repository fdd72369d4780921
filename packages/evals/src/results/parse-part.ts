/**
 * Parses one part of a file with `JSON.parse`, and finds problems that it does not report.
 *
 * - `parsePart(bytes, facts)` the value, with errors and warnings: bytes that are not UTF-8, duplicate names (the parser would
 *   silently keep the last), numbers that JavaScript cannot represent.
 */
import { isUtf8 } from "node:buffer";
import type { PartFacts } from "./json-splitter.ts";

const maxDepth = 200;

export interface ParsedPart {
  readonly value: unknown;
  /** Errors inside the part; the value is what can still be read, undefined if nothing can. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

export function parsePart(bytes: Buffer, facts: PartFacts): ParsedPart {
  if (facts.depth > maxDepth) {
    return broken(`it is nested ${facts.depth} levels deep; at most ${maxDepth} are allowed`);
  }
  const faults: string[] = [];
  const warnings: string[] = [];
  if (!isUtf8(bytes)) faults.push("expected UTF-8, found other bytes");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return broken(`expected JSON: ${plainReason(error)}${hintFor(text)}`);
  }
  if (facts.names > 0 && countNames(value) !== facts.names) {
    faults.push(`expected each name once, found ${duplicateNames(text).slice(0, 3).join(", ")} twice`);
  }
  if (facts.hasLongNumber) checkNumbers(text, faults, warnings);
  return { value, faults, warnings };
}

const broken = (problem: string): ParsedPart => ({ value: undefined, faults: [problem], warnings: [] });

const plainReason = (error: unknown): string => (error as Error).message.replace(/^JSON Parse error: /, "");

/** Common mistakes of Python and JavaScript programs. */
function hintFor(text: string): string {
  const found = /(?<=[:[,]\s*)-?(?:NaN|Infinity)\b/.exec(text.slice(0, 1_000_000));
  return found ? ` (${found[0]} is not JSON; write null)` : "";
}

function countNames(value: unknown): number {
  if (value === null || typeof value !== "object") return 0;
  if (Array.isArray(value)) {
    let sum = 0;
    for (const item of value) sum += countNames(item);
    return sum;
  }
  let sum = 0;
  for (const name of Object.keys(value)) sum += 1 + countNames((value as Record<string, unknown>)[name]);
  return sum;
}

/** Only used if the counts differ. */
function duplicateNames(text: string): string[] {
  const found = new Set<string>();
  const open: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;
  let last = "";
  for (const [word] of text.matchAll(token)) {
    if (word === "{") open.push(new Set());
    else if (word === "[") open.push(null);
    else if (word === "}" || word === "]") open.pop();
    else if (word === ":") {
      const name = JSON.parse(last) as string;
      const names = open.at(-1);
      if (names?.has(name)) found.add(JSON.stringify(name));
      names?.add(name);
    } else last = word;
  }
  return [...found];
}

function checkNumbers(text: string, faults: string[], warnings: string[]): void {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
  for (const [word] of text.matchAll(token)) {
    if (word.startsWith('"')) continue;
    const value = Number(word);
    if (!Number.isFinite(value)) faults.push(`expected a number below 1.8e308, found ${word.slice(0, 40)}`);
    else if (/^-?\d{16,}$/.test(word) && String(BigInt(word)) !== BigInt(value).toString()) {
      warnings.push(`${word.slice(0, 40)} has too many digits for a number and became ${value}; write it as a string`);
    }
  }
}
