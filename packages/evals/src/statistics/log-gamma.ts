/**
 * The logarithm of the gamma function, and functions derived from it.
 *
 * - `logGamma(x)` for x > 0, to about 15 digits (Lanczos, g = 7).
 * - `logBeta(a, b)`, `logChoose(n, k)`; `choose(n, k)`, exact if a double can represent it.
 */

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

export function logGamma(x: number): number {
  if (!(x > 0)) return Number.NaN;
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const shifted = x - 1;
  let sum = lanczos[0]!;
  for (let i = 1; i < lanczos.length; i++) sum += lanczos[i]! / (shifted + i);
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}

export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

export function logChoose(n: number, k: number): number {
  if (k < 0 || k > n) return Number.NEGATIVE_INFINITY;
  if (k === 0 || k === n) return 0;
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

export function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  if (n > 50) return Math.exp(logChoose(n, k));
  let product = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) product = Math.round((product * (n - i + 1)) / i);
  return product;
}
