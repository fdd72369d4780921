/**
 * The sign-flip test for paired differences: under "no change", each difference could equally have the other sign.
 *
 * - `signFlip(differences, options)` two-sided p, and the interval of the mean: the k-th smallest and largest of all
 *   subset means, k = ⌊α/2 · 2ⁿ⌋. Below 6 differences there is no interval.
 *
 * Exact up to 20 non-zero differences, seeded draws up to 2,000, then z = Σd / √Σd². A sum with flipped signs is at least as
 * large as the observed one exactly when the flipped differences sum to at most zero: test and interval count the same subsets
 * and agree at zero.
 */
import { normalTail, z95 } from "./normal.ts";
import { nthSmallest } from "./nth-smallest.ts";
import type { Interval } from "./pass-counts.ts";
import { seededRandom } from "./seeded-random.ts";

export interface SignFlip {
  readonly mean: number;
  readonly p: number;
  /** One-sided: probability of a mean at least, or at most, as large as observed. */
  readonly atLeast: number;
  readonly atMost: number;
  readonly interval: Interval | null;
  readonly method: "exact" | "drawn" | "normal";
}

export interface DrawOptions {
  readonly seed?: string | number;
  readonly draws?: number;
  /** Compute only p, not the interval. */
  readonly withInterval?: boolean;
}

const exactDifferences = 20;
export const drawnDifferences = 2000;
const leastForInterval = 6;

export function signFlip(given: readonly number[] | Float64Array, options: DrawOptions = {}): SignFlip {
  const differences = given instanceof Float64Array ? given : Float64Array.from(given);
  const n = differences.length;
  const sum = differences.reduce((one, other) => one + other, 0);
  const mean = n === 0 ? 0 : sum / n;
  const tolerance = 1e-10 * differences.reduce((one, other) => one + Math.abs(other), 0);
  const changed = differences.filter((difference) => Math.abs(difference) > tolerance);
  const withInterval = options.withInterval !== false && n >= leastForInterval;
  if (changed.length > drawnDifferences) {
    const squares = changed.reduce((one, other) => one + other * other, 0);
    const z = sum / Math.sqrt(squares);
    const interval = withInterval ? shiftInterval(n, sum, squares) : null;
    return result(mean, normalTail(z), normalTail(-z), interval, "normal");
  }
  const exact = changed.length <= exactDifferences ? exactTails(changed, tolerance) : null;
  if (exact && (!withInterval || n <= exactDifferences)) {
    const interval = withInterval ? subsetMeanInterval(differences) : null;
    return result(mean, exact.atLeast, exact.atMost, interval, "exact");
  }
  const drawn = drawSubsets(differences, tolerance, options);
  const interval = withInterval ? drawn.interval : null;
  if (exact) return result(mean, exact.atLeast, exact.atMost, interval, "exact");
  return result(mean, drawn.atLeast, drawn.atMost, interval, "drawn");
}

function result(
  mean: number,
  atLeast: number,
  atMost: number,
  interval: Interval | null,
  method: SignFlip["method"],
): SignFlip {
  return { mean, p: Math.min(1, 2 * Math.min(atLeast, atMost)), atLeast, atMost, interval, method };
}

function exactTails(changed: Float64Array, tolerance: number) {
  const all = 2 ** changed.length;
  const total = changed.reduce((one, other) => one + other, 0);
  let low = 0;
  let high = 0;
  eachSubset(changed, (sum) => {
    if (sum <= tolerance) low++;
    if (sum >= -tolerance) high++;
  });
  return total === 0 && changed.length === 0 ? { atLeast: 1, atMost: 1 } : { atLeast: low / all, atMost: high / all };
}

/** All subsets, including the empty one, in Gray-code order, so that each differs from the last by one member. */
function eachSubset(values: Float64Array, visit: (sum: number, size: number) => void): void {
  const inside = new Uint8Array(values.length);
  let sum = 0;
  let size = 0;
  visit(0, 0);
  const all = 2 ** values.length;
  for (let i = 1; i < all; i++) {
    const bit = 31 - Math.clz32(i & -i);
    if (inside[bit]) {
      inside[bit] = 0;
      sum -= values[bit]!;
      size--;
    } else {
      inside[bit] = 1;
      sum += values[bit]!;
      size++;
    }
    visit(sum, size);
  }
}

/** The exact interval of the mean; `alpha` 0.05. */
function subsetMeanInterval(differences: Float64Array, alpha = 0.05): Interval | null {
  const n = differences.length;
  if (n < leastForInterval) return null;
  const means = new Float64Array(2 ** n - 1);
  let filled = 0;
  eachSubset(differences, (sum, size) => {
    if (size > 0) means[filled++] = sum / size;
  });
  return limitsOf(means, Math.floor((alpha / 2) * 2 ** n));
}

function limitsOf(means: Float64Array, k: number): Interval {
  // Repeated addition and subtraction leaves about twelve digits of a double.
  const tidy = (value: number) => Number(value.toPrecision(12));
  return { low: tidy(nthSmallest(means, k - 1)), high: tidy(nthSmallest(means, means.length - k)) };
}

function drawSubsets(differences: Float64Array, tolerance: number, options: DrawOptions) {
  const draws = options.draws ?? 9999;
  const random = seededRandom(options.seed ?? "sign-flip");
  // Most cases of a large suite do not change; for those, a draw needs only their number, thirty-two at a time.
  const values = differences.filter((difference) => difference !== 0);
  const zeros = differences.length - values.length;
  const means = new Float64Array(draws);
  let low = 0;
  let high = 0;
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    let size = 0;
    while (size === 0) {
      for (let start = 0; start < values.length; start += 32) {
        let word = random.bits();
        const end = Math.min(values.length, start + 32);
        for (let i = start; i < end; i++) {
          if (word & 1) {
            sum += values[i]!;
            size++;
          }
          word >>>= 1;
        }
      }
      for (let left = zeros; left > 0; left -= 32) {
        const word = random.bits();
        size += countBits(left >= 32 ? word : word & ((1 << left) - 1));
      }
    }
    if (sum <= tolerance) low++;
    if (sum >= -tolerance) high++;
    means[draw] = sum / size;
  }
  const interval = limitsOf(means, Math.max(1, Math.floor(0.025 * (draws + 1))));
  return { atLeast: (1 + low) / (1 + draws), atMost: (1 + high) / (1 + draws), interval };
}

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** All shifts that the z test does not reject. */
function shiftInterval(n: number, sum: number, squares: number): Interval {
  const mean = sum / n;
  const half = Math.sqrt(Math.max(0, (z95 * z95 * (squares / n - mean * mean)) / (n - z95 * z95)));
  return { low: mean - half, high: mean + half };
}
