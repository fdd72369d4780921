/**
 * The permutation test for scores: permutes the labels A and B within each case; T is the sum of B's values. With one value
 * per side it is the sign-flip test.
 *
 * - `scoreTest(cases, options)` difference B − A weighted as in Mantel–Haenszel, its p and its interval.
 *
 * With repeats: exact up to 2²⁰ permutations, seeded draws up to 2,000 cases, then the normal approximation; the interval is
 * Welch's with Satterthwaite's degrees of freedom.
 */
import { agreeAtZero } from "./agree-at-zero.ts";
import { normalTail } from "./normal.ts";
import type { Interval } from "./pass-counts.ts";
import { isSingle, type ScoreCase, type ScoreCases, type SingleScores } from "./score-cases.ts";
import { seededRandom } from "./seeded-random.ts";
import { type DrawOptions, drawnDifferences, signFlip } from "./sign-flip.ts";
import { weightedDifference, welchInterval } from "./welch.ts";

export interface ScoreTest {
  readonly difference: number;
  readonly p: number;
  readonly interval: Interval | null;
  readonly cases: number;
  readonly changed: number;
  readonly method: "exact" | "drawn" | "normal";
}

const exactDeals = 2 ** 20;
/** With more values, drawing is not worthwhile: each case's sum is then nearly normal. */
const drawnValues = 20_000;

export function scoreTest(given: ScoreCases, options: DrawOptions = {}): ScoreTest {
  if (isSingle(given)) return singleTest(given, options);
  const cases = given.filter(({ a, b }) => a.length > 0 && b.length > 0);
  const single = cases.every(({ a, b }) => a.length === 1 && b.length === 1);
  if (!single) return repeatTest(cases, options);
  const side = (pick: "a" | "b") => Float64Array.from(cases, (one) => one[pick][0]!);
  return singleTest({ a: side("a"), b: side("b") }, options);
}

function singleTest({ a, b }: SingleScores, options: DrawOptions): ScoreTest {
  const differences = a.map((value, at) => b[at]! - value);
  const { mean, p, interval, method } = signFlip(differences, options);
  return {
    difference: mean,
    p,
    interval: agreeAtZero(interval, mean, p),
    cases: differences.length,
    changed: differences.filter((difference) => Math.abs(difference) > 1e-12).length,
    method,
  };
}

function repeatTest(cases: readonly ScoreCase[], options: DrawOptions): ScoreTest {
  const pools = cases.map(({ a, b }) => poolOf(a, b)).filter(({ spread }) => spread > 1e-12);
  const seen = pools.reduce((sum, { excess }) => sum + excess, 0);
  const { atLeast, atMost, method } = tailsOf(pools, seen, options);
  const p = Math.min(1, 2 * Math.min(atLeast, atMost));
  const { difference } = weightedDifference(cases);
  const interval = options.withInterval === false ? null : welchInterval(cases);
  return {
    difference,
    p,
    interval: agreeAtZero(interval, difference, p),
    cases: cases.length,
    changed: pools.length,
    method,
  };
}

/** All values of a case minus their mean, how many belong to B, and B's actual sum. */
interface Pool {
  readonly values: Float64Array;
  readonly dealt: number;
  readonly excess: number;
  readonly spread: number;
  readonly deals: number;
}

function poolOf(a: readonly number[], b: readonly number[]): Pool {
  const values = Float64Array.from([...a, ...b]);
  const mean = values.reduce((one, other) => one + other, 0) / values.length;
  for (let i = 0; i < values.length; i++) values[i]! -= mean;
  let excess = 0;
  for (let i = a.length; i < values.length; i++) excess += values[i]!;
  let deals = 1;
  for (let i = 1; i <= b.length; i++) deals = (deals * (a.length + i)) / i;
  return { values, dealt: b.length, excess, spread: values.reduce((sum, value) => sum + value * value, 0), deals };
}

function tailsOf(pools: readonly Pool[], seen: number, options: DrawOptions) {
  if (pools.length === 0) return { atLeast: 1, atMost: 1, method: "exact" as const };
  const deals = pools.reduce((product, pool) => product * pool.deals, 1);
  if (deals <= exactDeals) return { ...exactTails(pools, seen), method: "exact" as const };
  const all = pools.reduce((sum, { values }) => sum + values.length, 0);
  if (pools.length <= drawnDifferences && all <= drawnValues)
    return { ...drawnTails(pools, seen, options), method: "drawn" as const };
  const variance = pools.reduce((sum, { values, dealt, spread }) => {
    const size = values.length;
    return sum + (dealt * (size - dealt) * spread) / (size * (size - 1));
  }, 0);
  const z = seen / Math.sqrt(variance);
  return { atLeast: normalTail(z), atMost: normalTail(-z), method: "normal" as const };
}

function exactTails(pools: readonly Pool[], seen: number) {
  let sums = [0];
  for (const pool of pools) {
    const own = subsetSums(pool.values, pool.dealt);
    sums = sums.flatMap((sum) => own.map((more) => sum + more));
  }
  const tolerance = toleranceOf(pools);
  const atLeast = sums.filter((sum) => sum >= seen - tolerance).length / sums.length;
  const atMost = sums.filter((sum) => sum <= seen + tolerance).length / sums.length;
  return { atLeast, atMost };
}

function subsetSums(values: Float64Array, size: number, from = 0): number[] {
  if (size === 0) return [0];
  const sums: number[] = [];
  for (let i = from; i <= values.length - size; i++) {
    for (const rest of subsetSums(values, size - 1, i + 1)) sums.push(values[i]! + rest);
  }
  return sums;
}

function drawnTails(pools: readonly Pool[], seen: number, options: DrawOptions) {
  const all = pools.reduce((sum, { values }) => sum + values.length, 0);
  const draws = options.draws ?? Math.max(1999, Math.min(9999, Math.floor(2e7 / all)));
  const random = seededRandom(options.seed ?? "score-test");
  const tolerance = toleranceOf(pools);
  let low = 0;
  let high = 0;
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (const { values, dealt } of pools) sum += dealFrom(values, dealt, random.below);
    if (sum >= seen - tolerance) low++;
    if (sum <= seen + tolerance) high++;
  }
  return { atLeast: (1 + low) / (1 + draws), atMost: (1 + high) / (1 + draws) };
}

/** The sum of a random draw. Drawing shuffles the pool, which can be used for the next draw. */
function dealFrom(values: Float64Array, dealt: number, below: (limit: number) => number): number {
  const fewer = Math.min(dealt, values.length - dealt);
  let sum = 0;
  for (let i = 0; i < fewer; i++) {
    const j = i + below(values.length - i);
    const kept = values[j]!;
    values[j] = values[i]!;
    values[i] = kept;
    sum += kept;
  }
  // The values have mean 0, so the sums of the two sides are opposite.
  return fewer === dealt ? sum : -sum;
}

function toleranceOf(pools: readonly Pool[]): number {
  return 1e-10 * pools.reduce((sum, { spread }) => sum + Math.sqrt(spread), 0);
}
