/**
 * Finds secrets in text and removes them.
 *
 * - `redactSecrets(text, { known })` the text with `[redacted:<kind>]` in place of each, and their positions.
 *
 * Takes linear time for any text. It errs on the side of hiding: when two findings overlap, both are redacted. Existing
 * markers are left alone.
 */
import { findAssignments } from "./assignments.ts";
import { knownSecrets } from "./known-secrets.ts";
import { findRandomTokens } from "./random-tokens.ts";
import type { SecretFinder, SecretFinding } from "./secret-finding.ts";
import { findHeaders, findJsonWebTokens, findPrivateKeys, findUrlPasswords } from "./structured-secrets.ts";
import { findTokens } from "./token-patterns.ts";

export interface RedactOptions {
  /** Values that are secret whatever they look like: this machine's tokens, the database password. */
  readonly known?: readonly string[];
}

export interface Redacted {
  readonly text: string;
  readonly found: readonly SecretFinding[];
}

/** Most certain first: where two find the same, the first determines the kind. */
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
