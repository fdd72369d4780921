/**
 * A test of paired results that stays valid however often one looks, and whenever one stops.
 *
 * - `pairedEvidence(better, worse)` the e-value of the pairs that differ, and its p.
 *
 * A pair is one result of a case on each side. If nothing changed, a pair that differs is better or worse with probability ½,
 * whatever the case. Betting on these fair coins with every bias between 0 and 1 at once (a uniform prior) multiplies a stake of
 * 1 into e = 2ⁿ · B(better + 1, worse + 1). That is a martingale under the null hypothesis: by Ville's inequality it ever
 * reaches 1/α with probability at most α. So p = min(1, 1/e) may be read after every pair.
 */
import { logBeta } from "./log-gamma.ts";

export interface PairedEvidence {
  readonly logE: number;
  /** Valid at any time. */
  readonly p: number;
}

export function pairedEvidence(better: number, worse: number): PairedEvidence {
  const logE = (better + worse) * Math.LN2 + logBeta(better + 1, worse + 1);
  return { logE, p: Math.min(1, Math.exp(-logE)) };
}
