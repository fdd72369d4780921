/**
 * The counts of one pair of cases.
 *
 * - `countPair(pair)` passes, results and errors per side; skipped results are not counted.
 * - `withErrorsAsFailures(counts)`, `asErrorIndicator(counts)` the same pair, counted for other tests.
 */
import type { PassCounts } from "../statistics/index.ts";
import type { CasePair } from "./pair-cases.ts";
import { type SideCase, status } from "./side.ts";

export interface PairCounts extends PassCounts {
  readonly errorsA: number;
  readonly errorsB: number;
}

export function countPair({ a, b }: CasePair): PairCounts {
  const before = countCase(a);
  const after = countCase(b);
  return {
    passesA: before.passes,
    resultsA: before.results,
    errorsA: before.errors,
    passesB: after.passes,
    resultsB: after.results,
    errorsB: after.errors,
  };
}

export function countCase(one: SideCase): { passes: number; results: number; errors: number } {
  const counts = { passes: 0, results: 0, errors: 0 };
  for (const row of one.rows()) {
    const found = one.side.status[row];
    if (found === status.pass) counts.passes++;
    if (found === status.pass || found === status.fail) counts.results++;
    if (found === status.error) counts.errors++;
  }
  return counts;
}

export function isComparable({ resultsA, resultsB }: PassCounts): boolean {
  return resultsA > 0 && resultsB > 0;
}

export function withErrorsAsFailures(counts: PairCounts): PassCounts {
  const { passesA, resultsA, errorsA, passesB, resultsB, errorsB } = counts;
  return { passesA, resultsA: resultsA + errorsA, passesB, resultsB: resultsB + errorsB };
}

/** A result with a verdict counts as passed, so that "worse" means more errors. */
export function asErrorIndicator({ resultsA, errorsA, resultsB, errorsB }: PairCounts): PassCounts {
  return { passesA: resultsA, resultsA: resultsA + errorsA, passesB: resultsB, resultsB: resultsB + errorsB };
}
