/**
 * Redacts the strings of JSON, so that the result is still JSON of the same shape.
 *
 * - `redactJsonText(text)` a document; everything but the secrets stays as it was, including the white space.
 * - `redactJson(value)` a value; the same one when nothing was found.
 *
 * Strings are decoded first: in the text `"\nghp_…"` the token seems to begin with a letter. A value is also judged by the
 * name of its member (a member called `password`). Takes linear time, and nesting does not matter.
 */
import { isSecretMember } from "./assignments.ts";
import { redactPieces } from "./redact-pieces.ts";
import { marker, type RedactOptions } from "./redact-secrets.ts";

export interface RedactedJson<T> {
  readonly value: T;
  /** How many secrets were replaced. */
  readonly count: number;
}

export function redactJson<T>(value: T, options: RedactOptions = {}): RedactedJson<T> {
  const text = JSON.stringify(value);
  // Undefined and functions have no JSON.
  if (text === undefined) return { value, count: 0 };
  const { text: clean, count } = redactJsonText(text, options);
  return count === 0 ? { value, count } : { value: JSON.parse(clean) as T, count };
}

/** The text must be valid JSON. */
export function redactJsonText(text: string, options: RedactOptions = {}): { text: string; count: number } {
  const strings = stringsOf(text);
  const decoded = strings.map(({ start, end }) => JSON.parse(text.slice(start, end)) as string);
  const redacted = redactPieces(decoded, options);
  let { count } = redacted;
  const clean = redacted.pieces.map((piece, index) => {
    const name = strings[index]?.isName === false && strings[index - 1]?.isName ? decoded[index - 1] : undefined;
    if (name === undefined || piece !== decoded[index]) return piece;
    const kind = isSecretMember(name, piece);
    if (kind === undefined) return piece;
    count += 1;
    return marker(kind);
  });
  if (count === 0) return { text, count };
  const parts: string[] = [];
  let at = 0;
  for (const [index, { start, end }] of strings.entries()) {
    if (clean[index] === decoded[index]) continue;
    parts.push(text.slice(at, start), JSON.stringify(clean[index]));
    at = end;
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), count };
}

interface JsonString {
  readonly start: number;
  /** After the closing quote. */
  readonly end: number;
  /** A string that a colon follows is the name of a member. */
  readonly isName: boolean;
}

function stringsOf(text: string): JsonString[] {
  const found: JsonString[] = [];
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    const isName = /^\s*:/.test(text.slice(end, end + 40));
    found.push({ start, end, isName });
    start = text.indexOf('"', end);
  }
  return found;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\") at += 1;
    else if (letter === '"') return at + 1;
  }
  return text.length;
}
