/**
 * Student's t distribution.
 *
 * - `incompleteBeta(a, b, x)` the regularised incomplete beta function (Lentz's continued fraction).
 * - `studentTail(t, df)` P(T > t); `studentQuantile(p, df)` by bisection, for real df.
 */
import { logBeta } from "./log-gamma.ts";
import { normalQuantile } from "./normal.ts";

export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const scale = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b));
  return x < (a + 1) / (a + b + 2) ? (scale * fraction(a, b, x)) / a : 1 - (scale * fraction(b, a, 1 - x)) / b;
}

export function studentTail(t: number, df: number): number {
  const half = incompleteBeta(df / 2, 0.5, df / (df + t * t)) / 2;
  return t >= 0 ? half : 1 - half;
}

export function studentQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentQuantile(1 - p, df);
  if (df > 1e7) return normalQuantile(p);
  let low = 0;
  let high = 1;
  while (studentTail(high, df) > 1 - p && high < 1e15) high *= 2;
  for (let step = 0; step < 200 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, df) > 1 - p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function fraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
  let value = d;
  for (let m = 1; m < 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d || tiny);
    c = 1 + even / c || tiny;
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d || tiny);
    c = 1 + odd / c || tiny;
    const factor = d * c;
    value *= factor;
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return value;
}
