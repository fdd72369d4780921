/**
 * The difference of pass rates, B − A, over cases with repeats.
 *
 * - `mantelHaenszel(cases)` the weighted difference with Klingenberg's interval (2014); if nothing varied, Tango's interval of
 *   2W pairs without a change.
 */
import { z95 } from "./normal.ts";
import type { Interval, PassCounts } from "./pass-counts.ts";
import { tangoInterval } from "./tango.ts";

export interface MantelHaenszel {
  readonly difference: number;
  readonly interval: Interval;
  /** W: an effective number of pairs is twice this. */
  readonly weight: number;
  /** Sato's standard error at the estimate. */
  readonly standardError: number;
}

export function mantelHaenszel(cases: readonly PassCounts[], z = z95): MantelHaenszel {
  let weight = 0;
  let sum = 0;
  let p = 0;
  let q = 0;
  for (const { passesA: yA, resultsA: rA, passesB: yB, resultsB: rB } of cases) {
    const all = rA + rB;
    if (rA === 0 || rB === 0) continue;
    weight += (rA * rB) / all;
    sum += (yB * rA - yA * rB) / all;
    p += (rB * rB * yA - rA * rA * yB + (rA * rB * (rA - rB)) / 2) / (all * all);
    q += (yB * (rA - yA) + yA * (rB - yB)) / (2 * all);
  }
  if (weight === 0) return { difference: 0, interval: { low: -1, high: 1 }, weight, standardError: 0 };
  const difference = sum / weight;
  const standardError = Math.sqrt(Math.max(0, difference * p + q)) / weight;
  if (q === 0) return { difference, interval: tangoInterval(0, 0, 2 * weight, z), weight, standardError };
  const middle = difference + (z * z * p) / (2 * weight * weight);
  const half = Math.sqrt(Math.max(0, middle * middle - difference * difference + (z * z * q) / (weight * weight)));
  const interval = { low: Math.max(-1, middle - half), high: Math.min(1, middle + half) };
  return { difference, interval, weight, standardError };
}
