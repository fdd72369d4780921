/**
 * The binomial distribution.
 *
 * - `binomialProbability(k, n, p)`, `binomialAtMost(k, n, p)`, `binomialAtLeast(k, n, p)`.
 */
import { choose, logChoose } from "../src/statistics/log-gamma.ts";

export function binomialProbability(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  if (n <= 50) return choose(n, k) * p ** k * (1 - p) ** (n - k);
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

export function binomialAtMost(k: number, n: number, p: number): number {
  let sum = 0;
  for (let i = Math.min(k, n); i >= 0; i--) sum += binomialProbability(i, n, p);
  return Math.min(1, sum);
}

export function binomialAtLeast(k: number, n: number, p: number): number {
  let sum = 0;
  for (let i = Math.max(0, k); i <= n; i++) sum += binomialProbability(i, n, p);
  return Math.min(1, sum);
}
