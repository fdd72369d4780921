import { expect, test } from "bun:test";
import { differenceSequence } from "./difference-sequence.ts";
import { pairedEvidence } from "./paired-evidence.ts";
import { seededRandom } from "./seeded-random.ts";

test("the e-value is 2ⁿ·B(b + 1, w + 1), and a martingale: from every state its mean after one fair coin is itself", () => {
  expect(pairedEvidence(0, 0)).toEqual({ logE: expect.closeTo(0, 12), p: 1 });
  // 2¹⁰ · 9! 1! / 11! = 1024 / 110.
  expect(Math.exp(pairedEvidence(9, 1).logE)).toBeCloseTo(1024 / 110, 10);
  for (const [better, worse] of [
    [0, 0],
    [3, 1],
    [10, 25],
    [200, 180],
  ] as const) {
    const e = (b: number, w: number) => Math.exp(pairedEvidence(b, w).logE);
    const next = (e(better + 1, worse) + e(better, worse + 1)) / 2;
    expect(next / e(better, worse)).toBeCloseTo(1, 10);
  }
});

test("the sequence is symmetric, shrinks with the pairs, and is null before the first", () => {
  expect(differenceSequence({ pairs: 0, better: 0, worse: 0 })).toBeNull();
  const one = differenceSequence({ pairs: 100, better: 8, worse: 2 })!;
  const other = differenceSequence({ pairs: 100, better: 2, worse: 8 })!;
  expect(one.low).toBeCloseTo(-other.high, 12);
  expect(one.high).toBeCloseTo(-other.low, 12);
  const widths = [50, 200, 800, 3_200, 12_800].map((pairs) => {
    const { low, high } = differenceSequence({ pairs, better: pairs / 10, worse: pairs / 10 })!;
    return high - low;
  });
  expect(widths).toEqual(widths.toSorted((a, b) => b - a));
  expect(widths.at(-1)).toBeLessThan(0.06);
});

test.each([
  [0.9, 0.9],
  [0.9, 0.7],
  [0.5, 0.55],
])("it contains the true difference at all moments together, in at least 95 %% of runs (%p and %p)", (a, b) => {
  const random = seededRandom(`sequence ${a} ${b}`);
  let misses = 0;
  const [trials, pairs] = [150, 400];
  for (let trial = 0; trial < trials; trial++) {
    const tally = { pairs: 0, better: 0, worse: 0 };
    let isMissed = false;
    while (tally.pairs < pairs) {
      const [first, second] = [random.fraction() < a, random.fraction() < b];
      tally.pairs++;
      if (second && !first) tally.better++;
      if (first && !second) tally.worse++;
      if (tally.pairs % 5 > 0) continue;
      const { low, high } = differenceSequence(tally)!;
      isMissed ||= low > b - a || high < b - a;
    }
    misses += Number(isMissed);
  }
  expect(misses / trials).toBeLessThanOrEqual(0.05);
});
