/**
 * Finds when the pass rate changed. Assumes at most one change, Beta(½, ½) before and after it, equal odds for "never" and
 * "once", and equal odds for every place.
 *
 * - `changePoint(points)` P(no change), and for each point the probability that the change is right before it.
 * - `stableSegment(points)` where the last stable part begins, with which new results are compared.
 */
import { logBeta } from "./log-gamma.ts";

export interface CountPoint {
  readonly passes: number;
  readonly results: number;
}

export interface ChangePoint {
  readonly noChange: number;
  /** `before[i]`: the change is between points i − 1 and i; `before[0]` is 0. */
  readonly before: readonly number[];
  /** The most likely place; null with fewer than two points. */
  readonly likeliest: number | null;
}

export function changePoint(points: readonly CountPoint[]): ChangePoint {
  const places = points.length - 1;
  if (places < 1) return { noChange: 1, before: points.map(() => 0), likeliest: null };
  const all = total(points);
  const never = Math.log(0.5) + marginal(all);
  const logs = [Number.NEGATIVE_INFINITY];
  let passes = 0;
  let results = 0;
  for (let i = 1; i < points.length; i++) {
    passes += points[i - 1]!.passes;
    results += points[i - 1]!.results;
    const after = { passes: all.passes - passes, results: all.results - results };
    logs.push(Math.log(0.5 / places) + marginal({ passes, results }) + marginal(after));
  }
  const highest = logs.reduce((one, other) => Math.max(one, other), never);
  const weights = logs.map((log) => Math.exp(log - highest));
  const noChange = Math.exp(never - highest);
  const sum = weights.reduce((one, other) => one + other, noChange);
  const before = weights.map((weight) => weight / sum);
  const likeliest = before.reduce((best, chance, i) => (chance > before[best]! ? i : best), 1);
  return { noChange: noChange / sum, before, likeliest };
}

export function stableSegment(points: readonly CountPoint[], noChangeAtMost = 0.05): number {
  let start = 0;
  for (;;) {
    const { noChange, likeliest } = changePoint(points.slice(start));
    if (likeliest === null || noChange > noChangeAtMost) return start;
    start += likeliest;
  }
}

export function total(points: readonly CountPoint[]): CountPoint {
  let passes = 0;
  let results = 0;
  for (const point of points) {
    passes += point.passes;
    results += point.results;
  }
  return { passes, results };
}

function marginal({ passes, results }: CountPoint): number {
  return logBeta(passes + 0.5, results - passes + 0.5) - logBeta(0.5, 0.5);
}
