/**
 * Finds secrets in text and takes them out.
 *
 * - `redactSecrets(text, { known })` the text with `[redacted:<kind>]` in place of each, and where they were.
 *
 * Time is linear in the text whatever the text is. It errs on the side of hiding: when two findings overlap, both go.
 * A marker that was put there before is left alone.
 */
import { findAssignments } from "./assignments.ts";
import { knownSecrets } from "./known-secrets.ts";
import { findRandomTokens } from "./random-tokens.ts";
import type { SecretFinder, SecretFinding } from "./secret-finding.ts";
import { findHeaders, findJsonWebTokens, findPrivateKeys, findUrlPasswords } from "./structured-secrets.ts";
import { findTokens } from "./token-patterns.ts";

export interface RedactOptions {
  /** Values that are secret whatever they look like: tokens of this machine, the database's password. */
  readonly known?: readonly string[];
}

export interface Redacted {
  readonly text: string;
  readonly found: readonly SecretFinding[];
}

/** The surest first: where two found the same, the first gives its kind. */
const finders: readonly SecretFinder[] = [
  findPrivateKeys,
  findTokens,
  findJsonWebTokens,
  findUrlPasswords,
  findHeaders,
  findAssignments,
  findRandomTokens,
];

export function redactSecrets(text: string, { known = [] }: RedactOptions = {}): Redacted {
  const found = merge([knownSecrets(known), ...finders].flatMap((find) => [...find(text)]));
  if (found.length === 0) return { text, found };
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of found) {
    parts.push(text.slice(at, start), `[redacted:${kind}]`);
    at = end;
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), found };
}

function merge(findings: readonly SecretFinding[]): SecretFinding[] {
  const sorted = findings
    .map((finding, rank) => ({ ...finding, rank }))
    .sort((a, b) => a.start - b.start || a.rank - b.rank);
  const merged: (SecretFinding & { rank: number })[] = [];
  for (const finding of sorted) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else {
      const surer = last.rank <= finding.rank ? last : finding;
      merged[merged.length - 1] = { ...surer, start: last.start, end: Math.max(last.end, finding.end) };
    }
  }
  return merged.map(({ kind, start, end }) => ({ kind, start, end }));
}
