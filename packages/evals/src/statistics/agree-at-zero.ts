/**
 * - `agreeAtZero(interval, difference, p)` an interval that contains 0 exactly when p is above α. Score intervals are slightly
 *   less conservative than exact tests (161 pairs, 16 fixed, 6 broken: p = .052, Tango .005 to .124): where the two disagree,
 *   the near limit is replaced by the test-based one (Miettinen 1976), difference × (1 − z.975 / z_p).
 */
import { normalQuantile } from "./normal.ts";
import type { Interval } from "./pass-counts.ts";

export function agreeAtZero(interval: Interval | null, difference: number, p: number, alpha = 0.05): Interval | null {
  if (!interval) return null;
  const contains = interval.low <= 0 && interval.high >= 0;
  if (contains === p > alpha) return interval;
  if (difference === 0) return { low: Math.min(0, interval.low), high: Math.max(0, interval.high) };
  const zOfP = -normalQuantile(Math.max(p, 1e-300) / 2);
  const near = zOfP <= 0 ? -Math.abs(difference) : Math.abs(difference) * (1 + normalQuantile(alpha / 2) / zOfP);
  // Exactly at α the quotient is 1; the smallest step keeps the interval consistent with p.
  const widest = Math.max(Math.abs(interval.low), Math.abs(interval.high));
  const limit = p > alpha ? Math.max(-widest, Math.min(0, near)) : Math.max(near, Math.abs(difference) * 1e-9);
  return difference > 0
    ? { low: limit, high: Math.max(interval.high, limit) }
    : { low: Math.min(interval.low, -limit), high: -limit };
}
