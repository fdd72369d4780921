/**
 * JSON as people write it in settings files (comments, trailing commas, a byte order mark), with the place of each value in the text, so
 * that one part can be changed and everything else stays as it is.
 *
 * - `parseTree(text)` the outermost value; undefined for a text without one. Throws `JsonFault` with the line of the fault.
 * - `plainValue(node)` what JSON.parse would give.
 */

export type JsonNode =
  | { readonly kind: "plain"; readonly start: number; readonly end: number; readonly value: unknown }
  | { readonly kind: "list"; readonly start: number; readonly end: number; readonly items: readonly JsonNode[] }
  | { readonly kind: "object"; readonly start: number; readonly end: number; readonly members: readonly JsonMember[] };

export interface JsonMember {
  readonly name: string;
  /** Where the name begins and the value ends. */
  readonly start: number;
  readonly end: number;
  readonly value: JsonNode;
}

export class JsonFault extends Error {
  readonly line: number;
  constructor(text: string, at: number, problem: string) {
    const line = text.slice(0, at).split("\n").length;
    super(`line ${line}: ${problem}`);
    this.line = line;
  }
}

const maxDepth = 200;

export function parseTree(text: string): JsonNode | undefined {
  const reader: Reader = { text, at: text.startsWith("\uFEFF") ? 1 : 0 };
  skipSpace(reader);
  if (reader.at >= text.length) return undefined;
  const node = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) throw new JsonFault(text, reader.at, "there is something behind the last bracket");
  return node;
}

export function plainValue(node: JsonNode): unknown {
  switch (node.kind) {
    case "plain":
      return node.value;
    case "list":
      return node.items.map(plainValue);
    case "object":
      return Object.fromEntries(node.members.map(({ name, value }) => [name, plainValue(value)]));
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

export function skipSpace(reader: Reader): void {
  const { text } = reader;
  for (;;) {
    const [space = ""] = /^\s+/.exec(text.slice(reader.at, reader.at + 1000)) ?? [];
    reader.at += space.length;
    if (text.startsWith("//", reader.at)) {
      const end = text.indexOf("\n", reader.at);
      reader.at = end < 0 ? text.length : end;
    } else if (text.startsWith("/*", reader.at)) {
      const end = text.indexOf("*/", reader.at + 2);
      if (end < 0) throw new JsonFault(text, reader.at, "a comment that never ends");
      reader.at = end + 2;
    } else if (space === "") return;
  }
}

function readValue(reader: Reader, depth: number): JsonNode {
  if (depth > maxDepth) throw new JsonFault(reader.text, reader.at, "it is nested too deeply");
  const sign = reader.text[reader.at];
  if (sign === "{") return readObject(reader, depth);
  if (sign === "[") return readList(reader, depth);
  const start = reader.at;
  const [word = ""] = /^(?:"(?:[^"\\\n]|\\.)*"|[^\s,:\]}/]+)/.exec(rest(reader)) ?? [];
  try {
    const value: unknown = JSON.parse(word);
    reader.at += word.length;
    return { kind: "plain", start, end: reader.at, value };
  } catch {
    throw new JsonFault(reader.text, start, `expected a value, found ${JSON.stringify(rest(reader).slice(0, 20))}`);
  }
}

function readObject(reader: Reader, depth: number): JsonNode {
  const start = reader.at;
  const members: JsonMember[] = [];
  readItems(reader, "}", () => {
    const from = reader.at;
    const name = readValue(reader, depth + 1);
    if (name.kind !== "plain" || typeof name.value !== "string") {
      throw new JsonFault(reader.text, from, "expected a name in double quotes");
    }
    skipSpace(reader);
    if (reader.text[reader.at] !== ":") throw new JsonFault(reader.text, reader.at, "expected a colon");
    reader.at += 1;
    skipSpace(reader);
    const value = readValue(reader, depth + 1);
    members.push({ name: name.value, start: from, end: reader.at, value });
  });
  return { kind: "object", start, end: reader.at, members };
}

function readList(reader: Reader, depth: number): JsonNode {
  const start = reader.at;
  const items: JsonNode[] = [];
  readItems(reader, "]", () => items.push(readValue(reader, depth + 1)));
  return { kind: "list", start, end: reader.at, items };
}

function readItems(reader: Reader, close: string, readItem: () => void): void {
  reader.at += 1;
  skipSpace(reader);
  while (reader.text[reader.at] !== close) {
    if (reader.at >= reader.text.length)
      throw new JsonFault(reader.text, reader.at, `expected ${close}, found the end`);
    readItem();
    skipSpace(reader);
    if (reader.text[reader.at] === ",") {
      reader.at += 1;
      skipSpace(reader);
    } else if (reader.text[reader.at] !== close) {
      throw new JsonFault(reader.text, reader.at, `expected a comma or ${close}`);
    }
  }
  reader.at += 1;
}

/** A string may be long, but the rest of a huge file is never copied for each value. */
function rest({ text, at }: Reader): string {
  const short = text.slice(at, at + 2_000);
  return text.length - at <= 2_000 || /^[^"]|^"(?:[^"\\\n]|\\.)*"/.test(short) ? short : text.slice(at);
}
