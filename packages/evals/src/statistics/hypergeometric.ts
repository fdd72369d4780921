/**
 * The distribution of passes on one side when the labels are permuted.
 *
 * - `hypergeometric(passes, sizeA, sizeB)` the distribution of B's passes; `probabilities[i]` is for `from + i`.
 * - `fisherExact(counts)` the one-sided and two-sided p-values of a 2 × 2 table.
 */
import { choose, logChoose } from "./log-gamma.ts";
import type { PassCounts } from "./pass-counts.ts";

export interface CountDistribution {
  readonly from: number;
  readonly probabilities: Float64Array;
}

export function hypergeometric(passes: number, sizeA: number, sizeB: number): CountDistribution {
  const from = Math.max(0, passes - sizeA);
  const to = Math.min(sizeB, passes);
  const probabilities = new Float64Array(to - from + 1);
  const all = sizeA + sizeB;
  if (all <= 50) {
    for (let k = from; k <= to; k++) {
      probabilities[k - from] = (choose(passes, k) * choose(all - passes, sizeB - k)) / choose(all, sizeB);
    }
    return { from, probabilities };
  }
  const whole = logChoose(all, sizeB);
  for (let k = from; k <= to; k++) {
    const ways = logChoose(passes, k) + logChoose(all - passes, sizeB - k);
    probabilities[k - from] = Math.exp(ways - whole);
  }
  // The logarithms have an error of about 1e-14; normalise so that the probabilities sum to one.
  let sum = 0;
  for (const probability of probabilities) sum += probability;
  for (let i = 0; i < probabilities.length; i++) probabilities[i]! /= sum;
  return { from, probabilities };
}

export interface FisherExact {
  /** P(B passes at most as often as observed): small if B is worse. */
  readonly worse: number;
  /** P(B passes at least as often as observed): small if B is better. */
  readonly better: number;
  /** The sum of all outcomes at most as probable as the observed one, as in R and SciPy. */
  readonly twoSided: number;
}

export function fisherExact({ passesA, resultsA, passesB, resultsB }: PassCounts): FisherExact {
  const { from, probabilities } = hypergeometric(passesA + passesB, resultsA, resultsB);
  const seen = probabilities[passesB - from]!;
  let worse = 0;
  let better = 0;
  let twoSided = 0;
  probabilities.forEach((probability, i) => {
    if (from + i <= passesB) worse += probability;
    if (from + i >= passesB) better += probability;
    if (probability <= seen * (1 + 1e-7)) twoSided += probability;
  });
  return { worse: Math.min(1, worse), better: Math.min(1, better), twoSided: Math.min(1, twoSided) };
}
