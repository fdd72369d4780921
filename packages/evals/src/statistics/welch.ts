/**
 * The interval of a weighted difference of means over cases with repeats.
 *
 * - `weightedDifference(cases)` Σ w (mean B − mean A) / Σ w with w = rA·rB / (rA + rB).
 * - `welchInterval(cases)` Welch–Satterthwaite; null with fewer than 6 cases, or if no case has a repeat.
 */
import type { Interval } from "./pass-counts.ts";
import type { ScoreCase } from "./score-cases.ts";
import { studentQuantile } from "./student.ts";

export function weightedDifference(cases: readonly ScoreCase[]): {
  readonly difference: number;
  readonly weight: number;
} {
  let sum = 0;
  let weight = 0;
  for (const { a, b } of cases) {
    const own = weightOf(a, b);
    sum += own * (meanOf(b) - meanOf(a));
    weight += own;
  }
  return { difference: weight === 0 ? 0 : sum / weight, weight };
}

export function welchInterval(cases: readonly ScoreCase[], confidence = 0.95): Interval | null {
  const results = cases.reduce((sum, { a, b }) => sum + a.length + b.length, 0);
  const common = withinVariance(cases);
  if (common.df === 0 || results < 6) return null;
  const { difference, weight } = weightedDifference(cases);
  let variance = 0;
  let squares = 0;
  const add = (part: number, df: number) => {
    variance += part;
    squares += (part * part) / df;
  };
  for (const { a, b } of cases) {
    const share = (weightOf(a, b) / weight) ** 2;
    // A side with one result uses the variance of the other side, or that of all cases if that has only one too.
    const spreadA = a.length > 1 ? varianceOf(a) : b.length > 1 ? varianceOf(b) : common.variance;
    const spreadB = b.length > 1 ? varianceOf(b) : spreadA;
    if (a.length > 1 && b.length > 1) {
      add((share * spreadA) / a.length, a.length - 1);
      add((share * spreadB) / b.length, b.length - 1);
    } else {
      const df = a.length > 1 || b.length > 1 ? a.length + b.length - 2 : common.df;
      add(share * (spreadA / a.length + spreadB / b.length), df);
    }
  }
  if (variance === 0) return { low: difference, high: difference };
  const half = studentQuantile((1 + confidence) / 2, (variance * variance) / squares) * Math.sqrt(variance);
  return { low: difference - half, high: difference + half };
}

function withinVariance(cases: readonly ScoreCase[]): { readonly variance: number; readonly df: number } {
  let sum = 0;
  let df = 0;
  for (const values of cases.flatMap(({ a, b }) => [a, b])) {
    if (values.length < 2) continue;
    sum += varianceOf(values) * (values.length - 1);
    df += values.length - 1;
  }
  return { variance: df === 0 ? 0 : sum / df, df };
}

function weightOf(a: readonly number[], b: readonly number[]): number {
  return (a.length * b.length) / (a.length + b.length);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
