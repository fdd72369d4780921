/**
 * From numbers to one of four words.
 *
 * - `decide(evidence)` one test. `regression` and `improvement` need an adjusted p of at most α and a change that
 *   matters; `no evidence` needs at least 6 cases and either a lower limit that rules out what matters, or no change at
 *   all; the rest is `not enough data`.
 * - `worstOf(verdicts)` several of them.
 */
import type { Interval } from "../statistics/index.ts";
import type { Verdict } from "./compare-report.ts";

export interface Evidence {
  readonly cases: number;
  /** Above 0 = better. */
  readonly difference: number;
  readonly interval: Interval | null;
  readonly pAdjusted: number;
  readonly hasChange: boolean;
  readonly alpha: number;
  /** Smallest change worth a verdict, and the loss that "no evidence" must rule out. */
  readonly least: number;
  readonly tolerated: number;
}

export const passScale = { least: 0.01, tolerated: 0.1 } as const;
export const scoreScale = { least: 0.02, tolerated: 0.05 } as const;
/** Share of the pairs that errors may eat before nothing can be said. */
export const mostLost = 0.2;
const leastCases = 6;
/** Tails are sums of rounded numbers: p = .05 exactly must not fail by the sixteenth digit. */
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
