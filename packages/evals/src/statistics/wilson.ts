/** - `wilsonInterval(passes, results)` Wilson's score interval of one rate; 0 to 1 without results. */
import { z95 } from "./normal.ts";
import type { Interval } from "./pass-counts.ts";

export function wilsonInterval(passes: number, results: number, z = z95): Interval {
  if (results <= 0) return { low: 0, high: 1 };
  const rate = passes / results;
  const square = z * z;
  const middle = (rate + square / (2 * results)) / (1 + square / results);
  const half =
    (z * Math.sqrt((rate * (1 - rate)) / results + square / (4 * results * results))) / (1 + square / results);
  // At the limits, the formula gives 0 and 1 up to rounding.
  return {
    low: passes <= 0 ? 0 : Math.max(0, middle - half),
    high: passes >= results ? 1 : Math.min(1, middle + half),
  };
}
