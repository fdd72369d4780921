/**
 * - `tangoInterval(broke, fixed, pairs)` Tango's score interval (1998) of the difference of two paired pass rates, B − A.
 *   `pairs` may be fractional, for an effective number of pairs of which none varied.
 */
import { z95 } from "./normal.ts";
import type { Interval } from "./pass-counts.ts";

export function tangoInterval(broke: number, fixed: number, pairs: number, z = z95): Interval {
  if (!(pairs > 0)) return { low: -1, high: 1 };
  const difference = (fixed - broke) / pairs;
  const statistic = (delta: number) => scoreStatistic(broke, fixed, pairs, delta);
  return {
    low: crossing(-1, difference, (delta) => statistic(delta) > z),
    high: crossing(1, difference, (delta) => statistic(delta) < -z),
  };
}

function scoreStatistic(broke: number, fixed: number, pairs: number, delta: number): number {
  const a = 2 * pairs;
  const b = -fixed - broke + (2 * pairs - fixed + broke) * delta;
  const c = -broke * delta * (1 - delta);
  const probability = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
  const variance = pairs * (2 * probability + delta * (1 - delta));
  const distance = fixed - broke - pairs * delta;
  if (variance <= 0) return distance === 0 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY;
  return distance / Math.sqrt(variance);
}

/** The point between the outer limit and the estimate where "rejected" changes to "not rejected". */
function crossing(far: number, estimate: number, isRejected: (delta: number) => boolean): number {
  if (!isRejected(far)) return far;
  let out = far;
  let inside = estimate;
  for (let step = 0; step < 100 && Math.abs(out - inside) > 1e-14; step++) {
    const middle = (out + inside) / 2;
    if (isRejected(middle)) out = middle;
    else inside = middle;
  }
  return inside;
}
