/**
 * Compares labels that can be written in several ways.
 *
 * - `sameLabel(a, b)` compares after trimming and case folding, with `-` and spaces as `_`.
 * - `severityRank(word, order)` its rank in green < yellow < orange < red < critical, or in a suite's own order.
 */
export function labelKey(text: string): string {
  return foldCase(text.normalize("NFC").trim()).replace(/[\s-]/gu, "_");
}

export function sameLabel(a: string, b: string): boolean {
  return labelKey(a) === labelKey(b);
}

/** Upper case first, so that ß and ſ fold like their capital forms. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

export type SeverityOrder = readonly (readonly string[])[];

/** From least to most severe; words in one row mean the same. */
export const severityOrder: SeverityOrder = [
  ["green", "none", "info", "pass", "ok"],
  ["yellow", "low", "minor", "warning"],
  ["orange", "medium", "moderate"],
  ["red", "high", "major", "error"],
  ["critical", "blocker"],
];

export function severityRank(word: string, order: SeverityOrder = severityOrder): number | undefined {
  const rank = order.findIndex((words) => words.some((one) => sameLabel(one, word)));
  return rank < 0 ? undefined : rank;
}

export function severityWords(order: SeverityOrder = severityOrder): string {
  return order.map((words) => words.join(" = ")).join(" < ");
}
