/**
 * Finds secrets in text and removes them.
 *
 * - `redactSecrets(text, { known })` the text with `[redacted:<kind>]` in place of each, and their positions.
 * - `findSecrets(text, { known })` only the positions. `marker(kind)` what stands in place of a secret.
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
  /** A secret of several lines is replaced line by line, so that the lines of a diff keep their number and their marks. */
  readonly keepLines?: boolean;
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

export function redactSecrets(text: string, options: RedactOptions = {}): Redacted {
  const found = findSecrets(text, options);
  if (found.length === 0) return { text, found };
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of found) {
    parts.push(text.slice(at, start), options.keepLines ? byLine(text.slice(start, end), kind) : marker(kind));
    at = end;
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), found };
}

export function findSecrets(text: string, { known = [] }: RedactOptions = {}): SecretFinding[] {
  return merge([knownSecrets(known), ...finders].flatMap((find) => [...find(text)]));
}

export const marker = (kind: string): string => `[redacted:${kind}]`;

function byLine(secret: string, kind: string): string {
  const [, ...rest] = secret.split("\n");
  return [marker(kind), ...rest.map((line) => `${/^[-+ ]/.exec(line)?.[0] ?? ""}${marker(kind)}`)].join("\n");
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
