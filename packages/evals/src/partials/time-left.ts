/**
 * How long a run still takes, from how its results came in so far.
 *
 * - `timeLeft(finishedMs, remaining, nowMs)` the expected time and a 95 % prediction interval, or null while fewer than
 *   four results are there: two gaps say nothing about the spread.
 *
 * The gaps between results are taken as a sample; how many workers there are is in them already. The sum of the next n
 * gaps varies by itself, and so does the mean that they are predicted from.
 */
import { studentQuantile } from "../statistics/index.ts";

export interface TimeLeft {
  readonly ms: number;
  readonly lowMs: number;
  readonly highMs: number;
}

const leastGaps = 3;
/** Results that came long ago tell little about those to come. */
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
  // A part of the next gap is over; one that is late already does not make the others quicker.
  const waited = Math.min(mean, Math.max(0, nowMs - (times.at(-1) ?? nowMs)));
  const ms = remaining * mean - waited;
  return { ms, lowMs: Math.max(0, ms - half), highMs: ms + half };
}
