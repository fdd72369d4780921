/**
 * Finds values that are known to be secret, also where they appear encoded: in a URL, in JSON, in base64.
 *
 * - `knownSecrets(values)` a finder for them. Values shorter than six characters are ignored: redacting them would break
 *   ordinary words.
 */
import type { SecretFinder, SecretFinding } from "./secret-finding.ts";

const shortest = 6;

export function knownSecrets(values: readonly string[]): SecretFinder {
  const needles = new Set(values.filter((value) => value.length >= shortest).flatMap(encodings));
  return (text) => [...needles].flatMap((needle) => occurrences(text, needle));
}

function encodings(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    value,
    inJson,
    encodeURIComponent(value.toWellFormed()),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
}

function occurrences(text: string, needle: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  for (let start = text.indexOf(needle); start >= 0; start = text.indexOf(needle, start + needle.length)) {
    found.push({ kind: "known", start, end: start + needle.length });
  }
  return found;
}
