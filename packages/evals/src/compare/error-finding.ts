/**
 * Errors are neither passes nor failures: they are counted and tested separately, and the report also gives the verdict with
 * errors counted as failures.
 *
 * - `measureErrors(counts, verdictOf)`.
 */
import { stratifiedTest } from "../statistics/index.ts";
import type { ErrorFinding, Verdict } from "./compare-report.ts";
import { asErrorIndicator, isComparable, type PairCounts, withErrorsAsFailures } from "./pair-counts.ts";
import { type MeasuredPass, measurePass } from "./pass-finding.ts";

export function measureErrors(
  counts: readonly PairCounts[],
  alpha: number,
  verdictOf: (measured: MeasuredPass) => Verdict,
): ErrorFinding {
  const sum = (of: (one: PairCounts) => number) => counts.reduce((all, one) => all + of(one), 0);
  const [errorsA, errorsB] = [sum(({ errorsA: a }) => a), sum(({ errorsB: b }) => b)];
  const [resultsA, resultsB] = [sum(({ resultsA: a }) => a), sum(({ resultsB: b }) => b)];
  const share = (errors: number, results: number) => (errors === 0 ? 0 : errors / (errors + results));
  const { p } = stratifiedTest(errorsA + errorsB === 0 ? [] : counts.map(asErrorIndicator).filter(isComparable));
  const asFailures = measurePass(
    errorsA + errorsB === 0 ? counts.filter(isComparable) : counts.map(withErrorsAsFailures).filter(isComparable),
  );
  return {
    a: errorsA,
    b: errorsB,
    difference: share(errorsB, resultsB) - share(errorsA, resultsA),
    p,
    isFinding: p <= alpha,
    lostPairs: counts.filter((one) => !isComparable(one) && isComparable(withErrorsAsFailures(one))).length,
    verdictAsFailures: asFailures ? verdictOf(asFailures) : "not enough data",
    differenceAsFailures: asFailures?.difference ?? 0,
    pAsFailures: asFailures?.p ?? 1,
  };
}
