/**
 * Estimates how long a run will still take, from the times of its results so far.
 *
 * - `timeLeft(finishedMs, remaining, nowMs)` the expected time and a 95 % prediction interval, or null with fewer than four
 *   results: two gaps say nothing about the spread.
 *
 * The gaps between results are the sample, which accounts for the number of workers. The interval includes both the variance of
 * the next n gaps and the uncertainty of the estimated mean.
 */
import { studentQuantile } from "../statistics/index.ts";

export interface TimeLeft {
  readonly ms: number;
  readonly lowMs: number;
  readonly highMs: number;
}

const leastGaps = 3;
/** Only recent results are used: older ones predict little. */
const mostGaps = 200;

export function timeLeft(finishedMs: readonly number[], remaining: number, nowMs: number): TimeLeft | null {
  if (remaining <= 0) return null;
  const times = finishedMs.toSorted((a, b) => a - b).slice(-mostGaps - 1);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  if (gaps.length < leastGaps) return null;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (gaps.length - 1);
  const spread = Math.sqrt(variance * (remaining + (remaining * remaining) / gaps.length));
  const half = studentQuantile(0.975, gaps.length - 1) * spread;
  // Part of the next gap has passed; a gap that is already late does not shorten the others.
  const waited = Math.min(mean, Math.max(0, nowMs - (times.at(-1) ?? nowMs)));
  const ms = remaining * mean - waited;
  return { ms, lowMs: Math.max(0, ms - half), highMs: ms + half };
}
