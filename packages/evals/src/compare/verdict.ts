/**
 * Turns numbers into one of four verdicts.
 *
 * - `decide(evidence)` the verdict of one test. `regression` and `improvement` need an adjusted p of at most α and a large
 *   enough change; `no evidence` needs at least 6 cases and either a lower limit that rules out a relevant loss, or no change at
 *   all; everything else is `not enough data`.
 * - `worstOf(verdicts)` the verdict of several tests.
 */
import type { Interval } from "../statistics/index.ts";
import type { Verdict } from "./compare-report.ts";

export interface Evidence {
  readonly cases: number;
  /** Above 0 means better. */
  readonly difference: number;
  readonly interval: Interval | null;
  readonly pAdjusted: number;
  readonly hasChange: boolean;
  readonly alpha: number;
  /** The smallest change for a verdict, and the loss that "no evidence" must rule out. */
  readonly least: number;
  readonly tolerated: number;
}

export const passScale = { least: 0.01, tolerated: 0.1 } as const;
export const scoreScale = { least: 0.02, tolerated: 0.05 } as const;
/** The largest share of pairs lost to errors at which a verdict is still given. */
export const mostLost = 0.2;
const leastCases = 6;
/** Tail probabilities are sums of rounded numbers: a p of exactly .05 must not fail because of the sixteenth digit. */
const rounding = 1e-12;

export function decide(evidence: Evidence): Verdict {
  const { cases, difference, interval, pAdjusted, hasChange, alpha, least, tolerated } = evidence;
  if (pAdjusted <= alpha + rounding && Math.abs(difference) >= least - rounding) {
    return difference < 0 ? "regression" : "improvement";
  }
  const isRuledOut = interval !== null && interval.low >= -tolerated - rounding;
  return cases >= leastCases && (isRuledOut || !hasChange) ? "no evidence" : "not enough data";
}

export function worstOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("regression")) return "regression";
  if (verdicts.includes("improvement")) return "improvement";
  if (verdicts.length === 0 || verdicts.includes("not enough data")) return "not enough data";
  return "no evidence";
}
