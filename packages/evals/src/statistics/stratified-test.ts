/**
 * The permutation test for pass and fail: permutes the labels A and B within each case. T, B's passes, then has the convolution
 * of the cases' hypergeometric distributions; with one result per side this is the exact McNemar test.
 *
 * - `stratifiedTest(cases)` two-sided p = min(1, 2 × smaller tail), and the mid-p, which is informational.
 *
 * Above 3,000 informative cases, the normal approximation with continuity correction is used.
 */
import { type CountDistribution, hypergeometric } from "./hypergeometric.ts";
import { normalTail } from "./normal.ts";
import type { PassCounts } from "./pass-counts.ts";

export interface StratifiedTest {
  readonly statistic: number;
  readonly atMost: number;
  readonly atLeast: number;
  readonly p: number;
  readonly midP: number;
  /** Cases with both passes and failures. */
  readonly informative: number;
  readonly method: "exact" | "normal";
}

const exactUpTo = 3000;
/** Probabilities below this are dropped from a wide distribution; p is then at least `smallestP`. */
const negligible = 1e-30;
const smallestP = 1e-25;

export function stratifiedTest(cases: readonly PassCounts[]): StratifiedTest {
  const informative = cases.filter(isInformative);
  const statistic = cases.reduce((sum, { passesB }) => sum + passesB, 0);
  const fixedPart = statistic - informative.reduce((sum, { passesB }) => sum + passesB, 0);
  const tails =
    informative.length > exactUpTo ? normalTails(informative) : exactTails(informative, statistic - fixedPart);
  const tail = Math.min(tails.atMost, tails.atLeast);
  return {
    statistic,
    atMost: tails.atMost,
    atLeast: tails.atLeast,
    p: Math.min(1, 2 * tail),
    midP: Math.min(1, 2 * (tail - tails.seen / 2)),
    informative: informative.length,
    method: informative.length > exactUpTo ? "normal" : "exact",
  };
}

function isInformative({ passesA, resultsA, passesB, resultsB }: PassCounts): boolean {
  const passes = passesA + passesB;
  return resultsA > 0 && resultsB > 0 && passes > 0 && passes < resultsA + resultsB;
}

interface Tails {
  readonly atMost: number;
  readonly atLeast: number;
  readonly seen: number;
}

function exactTails(cases: readonly PassCounts[], statistic: number): Tails {
  const known = new Map<string, CountDistribution>();
  let from = 0;
  let distribution: Float64Array = new Float64Array([1]);
  for (const { passesA, resultsA, passesB, resultsB } of cases) {
    const key = `${passesA + passesB},${resultsA},${resultsB}`;
    let one = known.get(key);
    if (!one) {
      one = trimmed(hypergeometric(passesA + passesB, resultsA, resultsB));
      known.set(key, one);
    }
    const next = trimmed({ from: from + one.from, probabilities: convolve(distribution, one.probabilities) });
    from = next.from;
    distribution = next.probabilities;
  }
  let atMost = 0;
  let atLeast = 0;
  distribution.forEach((probability, i) => {
    if (from + i <= statistic) atMost += probability;
    if (from + i >= statistic) atLeast += probability;
  });
  const floor = (tail: number) => Math.min(1, Math.max(tail, smallestP));
  return { atMost: floor(atMost), atLeast: floor(atLeast), seen: distribution[statistic - from] ?? 0 };
}

function trimmed({ from, probabilities }: CountDistribution): CountDistribution {
  let start = 0;
  let end = probabilities.length;
  while (start < end - 1 && probabilities[start]! < negligible) start++;
  while (end > start + 1 && probabilities[end - 1]! < negligible) end--;
  if (start === 0 && end === probabilities.length) return { from, probabilities };
  return { from: from + start, probabilities: probabilities.subarray(start, end) };
}

function convolve(wide: Float64Array, narrow: Float64Array): Float64Array {
  const out = new Float64Array(wide.length + narrow.length - 1);
  for (let j = 0; j < narrow.length; j++) {
    const factor = narrow[j]!;
    for (let i = 0; i < wide.length; i++) out[i + j]! += wide[i]! * factor;
  }
  return out;
}

function normalTails(cases: readonly PassCounts[]): Tails {
  let distance = 0;
  let variance = 0;
  for (const { passesA, resultsA, passesB, resultsB } of cases) {
    const passes = passesA + passesB;
    const all = resultsA + resultsB;
    distance += passesB - (passes * resultsB) / all;
    variance += (passes * (all - passes) * resultsA * resultsB) / (all * all * (all - 1));
  }
  const spread = Math.sqrt(variance);
  const atLeast = normalTail((distance - 0.5) / spread);
  const atMost = normalTail((-distance - 0.5) / spread);
  return { atMost, atLeast, seen: Math.max(0, atMost + atLeast - 1) };
}
