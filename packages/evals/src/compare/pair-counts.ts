/**
 * The counts of pairs of cases.
 *
 * - `countPairs(pairs)` passes, results and errors per side of every pair; skipped results are not counted. Pairs with equal
 *   counts share one object: a suite of any size has only a few different ones.
 * - `withErrorsAsFailures`, `asErrorIndicator` the same pairs, counted for other tests.
 */
import type { PassCounts } from "../statistics/index.ts";
import type { CasePairs } from "./case-pairs.ts";
import { type Side, type SideCase, status } from "./side.ts";

export interface PairCounts extends PassCounts {
  readonly errorsA: number;
  readonly errorsB: number;
}

export function countPairs(pairs: CasePairs): PairCounts[] {
  const known = new Map<number, PairCounts>();
  const counts = new Array<PairCounts>(pairs.length);
  const [one, other] = [newCounts(), newCounts()];
  for (let i = 0; i < pairs.length; i++) {
    countInto(pairs.a, pairs.noA(i), one);
    countInto(pairs.b, pairs.noB(i), other);
    const { passes: passesA, results: resultsA, errors: errorsA } = one;
    const { passes: passesB, results: resultsB, errors: errorsB } = other;
    // Six numbers below 256 fit into one.
    const isSmall = resultsA < 256 && errorsA < 256 && resultsB < 256 && errorsB < 256;
    const sumA = (passesA * 256 + resultsA) * 256 + errorsA;
    const sumB = (passesB * 256 + resultsB) * 256 + errorsB;
    const key = isSmall ? sumA * 2 ** 24 + sumB : -1 - i;
    let found = known.get(key);
    if (!found) {
      found = { passesA, resultsA, errorsA, passesB, resultsB, errorsB };
      if (isSmall) known.set(key, found);
    }
    counts[i] = found;
  }
  return counts;
}

export function countCase({ side, no }: SideCase): { passes: number; results: number; errors: number } {
  const counts = newCounts();
  countInto(side, no, counts);
  return counts;
}

const newCounts = () => ({ passes: 0, results: 0, errors: 0 });

function countInto(side: Side, no: number, counts: ReturnType<typeof newCounts>): void {
  counts.passes = 0;
  counts.results = 0;
  counts.errors = 0;
  for (let at = side.from(no); at < side.to(no); at++) {
    const found = side.status[side.rowAt(at)];
    if (found === status.pass) counts.passes++;
    if (found === status.pass || found === status.fail) counts.results++;
    if (found === status.error) counts.errors++;
  }
}

export function isComparable({ resultsA, resultsB }: PassCounts): boolean {
  return resultsA > 0 && resultsB > 0;
}

export const withErrorsAsFailures = once((counts: PairCounts): PassCounts => {
  const { passesA, resultsA, errorsA, passesB, resultsB, errorsB } = counts;
  return { passesA, resultsA: resultsA + errorsA, passesB, resultsB: resultsB + errorsB };
});

/** A result with a verdict counts as passed, so that "worse" means more errors. */
export const asErrorIndicator = once(
  ({ resultsA, errorsA, resultsB, errorsB }: PairCounts): PassCounts => ({
    passesA: resultsA,
    resultsA: resultsA + errorsA,
    passesB: resultsB,
    resultsB: resultsB + errorsB,
  }),
);

/** Computed once for each object, because pairs share them. */
function once(make: (counts: PairCounts) => PassCounts): (counts: PairCounts) => PassCounts {
  const made = new WeakMap<PairCounts, PassCounts>();
  return (counts) => {
    const known = made.get(counts) ?? make(counts);
    made.set(counts, known);
    return known;
  };
}
