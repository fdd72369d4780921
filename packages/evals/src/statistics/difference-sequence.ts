/**
 * An interval of the difference B − A that holds at all times at once (a confidence sequence).
 *
 * - `differenceSequence({ pairs, better, worse }, alpha)` contains the mean of the true differences of the pairs so far, with
 *   probability 1 − α for all moments together; null before the first pair.
 *
 * With d = 1, 0 or −1 for a pair, exp(λ·Σ(d − μ) − ψ(λ)·Σd²), with ψ(λ) = −log(1 − λ) − λ, is a supermartingale for every
 * λ in [0, 1), whatever the means μ of the pairs (Fan et al. 2015). Mixed over λ with a gamma distribution it has a closed form
 * (Howard et al. 2021, gamma-exponential mixture); the limit is where it reaches 2/α, on each side.
 */
import { incompleteGammaTail } from "./incomplete-gamma.ts";
import { logGamma } from "./log-gamma.ts";
import type { Interval } from "./pass-counts.ts";

export interface PairTally {
  readonly pairs: number;
  readonly better: number;
  readonly worse: number;
}

/** Makes the interval narrowest around 50 pairs that differ. */
const rho = 6;

export function differenceSequence({ pairs, better, worse }: PairTally, alpha = 0.05): Interval | null {
  if (pairs === 0) return null;
  const half = boundary(better + worse, Math.log(2 / alpha)) / pairs;
  const difference = (better - worse) / pairs;
  return { low: Math.max(-1, difference - half), high: Math.min(1, difference + half) };
}

/** It depends on two numbers only, and is needed after every pair. */
const known = new Map<string, number>();

/** The largest sum that the mixture allows after `varied` pairs that differ. */
function boundary(varied: number, logLevel: number): number {
  const key = `${varied} ${logLevel}`;
  const found = known.get(key) ?? solveBoundary(varied, logLevel);
  if (known.size > 10_000) known.clear();
  known.set(key, found);
  return found;
}

/** By bisection. */
function solveBoundary(varied: number, logLevel: number): number {
  let low = 0;
  let high = 16;
  while (logMixture(high, varied) < logLevel) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (logMixture(middle, varied) < logLevel) low = middle;
    else high = middle;
  }
  return high;
}

/** Above this the series of the incomplete gamma function is slow; ½ is a lower limit there, which widens the interval a little. */
const mostExact = 2_000;

function logMixture(sum: number, varied: number): number {
  const shape = varied + rho;
  const scale = sum + varied + rho;
  const share = shape > mostExact ? 0.5 : Math.max(0.5, 1 - incompleteGammaTail(shape, scale));
  const start = rho * Math.log(rho) - logGamma(rho) - Math.log(1 - incompleteGammaTail(rho, rho));
  return start + logGamma(shape) + Math.log(share) - shape * Math.log(scale) + sum + varied;
}
