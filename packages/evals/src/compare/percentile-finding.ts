/**
 * Compares a percentile of latency, from 100 results per side.
 *
 * - `comparePercentile(cases, level)` p from the pass/fail test: is a result above the common percentile more often on one
 *   side? The ratio's interval comes from the order statistics of each side and agrees with p at 1.
 * - `quantile(values, level)` interpolates linearly, as NumPy does by default.
 */

import {
  agreeAtZero,
  caseCount,
  isSingle,
  type PassCounts,
  type ScoreCases,
  sideValues,
  stratifiedTest,
  z95,
} from "../statistics/index.ts";
import type { MeasuredBudget } from "./budget-findings.ts";

const leastResults = 100;

export function comparePercentile(
  cases: ScoreCases,
  level: number,
): Omit<MeasuredBudget, "measure" | "unit" | "leftOut"> {
  const a = sideValues(cases, "a").slice().sort();
  const b = sideValues(cases, "b").slice().sort();
  const valueA = quantile(a, level);
  const valueB = quantile(b, level);
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  const { p } = stratifiedTest(countsWithin(cases, quantile(both.sort(), level)));
  const logRatio = Math.log(valueB / valueA);
  const half = z95 * Math.hypot(logSpread(a, level), logSpread(b, level));
  const interval = agreeAtZero({ low: logRatio - half, high: logRatio + half }, logRatio, p);
  const isEnough = Math.min(a.length, b.length) >= leastResults;
  return {
    gates: isEnough,
    notGatingBecause: isEnough ? null : `p95 needs ${leastResults} results per side`,
    valueA,
    valueB,
    absolute: valueB - valueA,
    ratio: valueB / valueA,
    interval: interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) },
    p,
    cases: caseCount(cases),
  };
}

/** For each case, how many values of each side are at most the limit. Cases that tell nothing are left out of many. */
function countsWithin(cases: ScoreCases, limit: number): PassCounts[] {
  if (!isSingle(cases)) {
    const within = (values: readonly number[]) => values.filter((value) => value <= limit).length;
    return cases.map(({ a, b }) => ({
      passesA: within(a),
      resultsA: a.length,
      passesB: within(b),
      resultsB: b.length,
    }));
  }
  const counts: PassCounts[] = [];
  cases.a.forEach((value, at) => {
    const [passesA, passesB] = [value <= limit ? 1 : 0, cases.b[at]! <= limit ? 1 : 0];
    // Equal on both sides: the test of pairs ignores it.
    if (passesA !== passesB) counts.push({ passesA, resultsA: 1, passesB, resultsB: 1 });
  });
  return counts;
}

export function quantile(values: ArrayLike<number>, level: number): number {
  const sorted = values instanceof Float64Array ? values : Float64Array.from(values).sort();
  const place = (sorted.length - 1) * level;
  const below = Math.floor(place);
  const share = place - below;
  return sorted[below]! * (1 - share) + (sorted[Math.min(below + 1, sorted.length - 1)] ?? 0) * share;
}

/** The standard error of the logarithm of a percentile: a quarter of its distribution-free 95 % interval. */
function logSpread(sorted: Float64Array, level: number): number {
  const spread = z95 * Math.sqrt(sorted.length * level * (1 - level));
  const at = (place: number) => sorted[Math.max(0, Math.min(sorted.length - 1, Math.round(place)))]!;
  const middle = sorted.length * level;
  return (Math.log(at(middle + spread)) - Math.log(at(middle - spread))) / (2 * z95);
}
