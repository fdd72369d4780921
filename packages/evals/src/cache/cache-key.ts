/**
 * The key of a cached output, and what it was computed from.
 *
 * - `cacheKeyOf({ files, input, attempt })` 16 hex digits, and the parts, from which `why` finds what changed.
 *
 * Key = the first 16 hex digits of SHA-256 over one line per source file, ordered by path (the SHA-256 of its content), one
 * line for the input (the SHA-256 of its canonical JSON) and one for the attempt. File names are not part of the key, so
 * moving a prompt keeps its cached outputs.
 */
import { hash, hashBytes } from "@devflow/core/hash";

export interface KeySources {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly input: unknown;
  /** 1-based; gives each repeat of a case its own output. */
  readonly attempt: number;
}

export interface KeyParts {
  /** Path → SHA-256 of the content. */
  readonly files: Readonly<Record<string, string>>;
  readonly input: string;
  /** Member of the input → SHA-256 of its value; empty if the input is not an object. */
  readonly fields: Readonly<Record<string, string>>;
  readonly attempt: number;
}

export interface CacheKey {
  readonly key: string;
  readonly parts: KeyParts;
}

export function cacheKeyOf({ files, input, attempt }: KeySources): CacheKey {
  const paths = Object.keys(files).sort();
  const parts: KeyParts = {
    files: Object.fromEntries(paths.map((path) => [path, hashBytes(files[path] ?? "")])),
    input: hash(input ?? null),
    fields: fieldsOf(input),
    attempt,
  };
  const lines = [...paths.map((path) => parts.files[path]), parts.input, String(attempt)];
  return { key: hashBytes(lines.join("\n")).slice(0, 16), parts };
}

function fieldsOf(input: unknown): Record<string, string> {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return {};
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, hash(value ?? null)]));
}

/** Describes the differences between two keys; empty if there are none. */
export function keyDifferences(before: KeyParts, now: KeyParts): string[] {
  const files = compareMembers(before.files, now.files, "file");
  const fields = compareMembers(before.fields, now.fields, "input");
  const isInputChanged = before.input !== now.input;
  const attempt = before.attempt === now.attempt ? [] : [`attempt changed from ${before.attempt} to ${now.attempt}`];
  return [...files, ...fields, ...(isInputChanged && fields.length === 0 ? ["the input changed"] : []), ...attempt];
}

function compareMembers(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  what: string,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    if (before[name] === now[name]) return [];
    if (before[name] === undefined) return [`${what} ${name} is new`];
    return [now[name] === undefined ? `${what} ${name} was removed` : `${what} ${name} changed`];
  });
}
