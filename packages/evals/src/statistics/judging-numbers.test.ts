import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { benjaminiHochberg, holm } from "./adjust.ts";
import { changePoint, stableSegment } from "./change-point.ts";
import { krippendorffAlpha } from "./krippendorff.ts";
import { nthSmallest } from "./nth-smallest.ts";
import { runsNeeded, simulatedPower, smallestVisibleDrop } from "./power.ts";
import { cohenKappa, gwetAc1, labelsSuffice, reweightByVerdict } from "./rater-agreement.ts";
import { seededRandom } from "./seeded-random.ts";
import { wilsonInterval } from "./wilson.ts";

// Simulations and large sides are slow on a busy machine.
setDefaultTimeout(60_000);

test("Benjamini and Hochberg's method on 25 p-values (McDonald's handbook) agrees with statsmodels' multipletests", () => {
  const ps = [
    0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269, 0.275, 0.34, 0.341, 0.384,
    0.569, 0.594, 0.696, 0.762, 0.94, 0.942, 0.975, 0.986,
  ];
  const qs = benjaminiHochberg(ps);
  [0.025, 0.1, 0.21, 0.21, 0.21, 0.25, 0.26428571428571423].forEach((q, i) => void expect(qs[i]).toBeCloseTo(q, 12));
  expect(qs[24]).toBeCloseTo(0.986, 12);
  const adjusted = holm(ps);
  [0.025, 0.192, 0.897, 0.902, 0.902, 1].forEach((p, i) => void expect(adjusted[i]).toBeCloseTo(p, 12));
  expect([holm([]), benjaminiHochberg([])]).toEqual([[], []]);
});

test("Wilson's interval agrees with statsmodels' proportion_confint, also with no results", () => {
  const { low, high } = wilsonInterval(7, 10);
  expect([low, high].map((x) => x.toFixed(10))).toEqual(["0.3967781475", "0.8922087326"]);
  expect(wilsonInterval(50, 50).low).toBeCloseTo(0.9286524008666412, 12);
  expect(wilsonInterval(50, 50).high).toBe(1);
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
});

describe("a change of the pass rate", () => {
  const points = [3, 3, 2, 0, 0, 1].map((passes) => ({ passes, results: 3 }));

  test("the probability of each place agrees with scipy.special.betaln", () => {
    const { noChange, before, likeliest } = changePoint(points);
    expect(noChange).toBeCloseTo(0.018893827415339938, 10);
    expect(before[2]).toBeCloseTo(0.31741630057771114, 10);
    expect(before[3]).toBeCloseTo(0.635721722445556, 10);
    expect(before[5]).toBeCloseTo(0.0021338910963207432, 10);
    expect(likeliest).toBe(3);
    expect(before.reduce((sum, chance) => sum + chance, noChange)).toBeCloseTo(1, 12);
  });

  test("a flaky case has no change, and neither has a single point", () => {
    const flaky = [2, 3, 1, 2, 3, 2, 1, 3].map((passes) => ({ passes, results: 3 }));
    expect(changePoint(flaky).noChange).toBeGreaterThan(0.5);
    expect(changePoint([{ passes: 1, results: 1 }])).toEqual({ noChange: 1, before: [0], likeliest: null });
  });

  test("the stable part begins after the last change", () => {
    const history = [0, 0, 0, 0, 3, 3, 3, 3].map((passes) => ({ passes, results: 3 }));
    expect(stableSegment(history)).toBe(4);
    expect(stableSegment(history.slice(4))).toBe(0);
  });
});

describe("judges", () => {
  test("Krippendorff's alpha of scores with missing votes agrees with the krippendorff package 0.8 on PyPI", () => {
    const units = [
      [0.1, 0.2, 0.15],
      [0.5, 0.5, 0.7],
      [0.9, 0.8, 0.95],
      [0.4, 0.4],
      [0.3, 0.2],
    ];
    expect(krippendorffAlpha(units, "interval")).toBeCloseTo(0.9309551208285386, 12);
    expect(krippendorffAlpha([[1], [2]], "nominal")).toBeNull();
    expect(
      krippendorffAlpha(
        [
          [1, 1],
          [1, 1],
        ],
        "nominal",
      ),
    ).toBe(1);
  });

  test("one rare class: Gwet 2001, 125 people: kappa −0.0234, AC1 0.9408", () => {
    const table = [
      [118, 5],
      [2, 0],
    ];
    expect(cohenKappa(table)).toBeCloseTo(-0.0234, 4);
    expect(gwetAc1(table)).toBeCloseTo(0.9408, 4);
    expect(labelsSuffice(table)).toBe(false);
    expect(
      labelsSuffice([
        [20, 2],
        [3, 10],
      ]),
    ).toBe(true);
    expect(
      labelsSuffice([
        [9, 2],
        [3, 10],
      ]),
    ).toBe(false);
    expect(
      cohenKappa([
        [10, 0],
        [0, 0],
      ]),
    ).toBeNull();
  });

  test("labels that were sampled by verdict are reweighted", () => {
    // 20 of 900 "pass" and 20 of 100 "fail" were labelled.
    const table = reweightByVerdict(
      [
        [18, 2],
        [4, 16],
      ],
      [900, 100],
    );
    expect(table).toEqual([
      [810, 90],
      [20, 80],
    ]);
  });
});

describe("power", () => {
  test("a smaller drop and fewer cases need more runs", () => {
    const at = (cases: number, drop: number) => runsNeeded({ cases, passRate: 0.9, drop });
    expect(at(20, 0.1)).toBeLessThan(at(20, 0.05));
    expect(at(100, 0.05)).toBeLessThan(at(20, 0.05));
    expect(runsNeeded({ cases: 20, passRate: 0.9, drop: 0.1, variance: 0.02 })).toBeLessThan(at(20, 0.1));
  });

  test("five cases with one result per side detect nothing, not even a drop to zero", () => {
    expect(smallestVisibleDrop({ cases: 5, runsA: 1, runsB: 1, passRate: 1 })).toBeNull();
  });

  test("the exact test detects the smallest visible drop about four times in five", () => {
    for (const plan of [
      { cases: 12, runsA: 2, runsB: 2, passRate: 0.9 },
      { cases: 40, runsA: 5, runsB: 5, passRate: 0.9 },
      { cases: 300, runsA: 1, runsB: 1, passRate: 0.9 },
      { cases: 30, runsA: 10, runsB: 2, passRate: 0.9 },
    ]) {
      const drop = smallestVisibleDrop(plan)!;
      const power = simulatedPower({ ...plan, drop, trials: 500, seed: "again" });
      expect(power).toBeGreaterThan(0.72);
      expect(power).toBeLessThan(0.93);
    }
  });
});

test("the seeded numbers are uniform, repeatable and differ between seeds", () => {
  const first = seededRandom("a");
  const again = seededRandom("a");
  const other = seededRandom("b");
  const draw = (random: typeof first) => Array.from({ length: 10000 }, () => random.fraction());
  const numbers = draw(first);
  expect(draw(again)).toEqual(numbers);
  expect(draw(other)).not.toEqual(numbers);
  const buckets = new Array(10).fill(0);
  for (const number of numbers) buckets[Math.floor(number * 10)]++;
  // Chi-square with 9 degrees of freedom: above 27.9 once in a thousand.
  const chiSquare = buckets.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  expect(chiSquare).toBeLessThan(27.9);
});

test("the n-th smallest equals that of the sorted list", () => {
  const random = seededRandom(9);
  const values = Float64Array.from({ length: 501 }, () => random.below(50));
  const sorted = Array.from(values).sort((one, other) => one - other);
  for (const n of [0, 1, 250, 499, 500]) expect(nthSmallest(values.slice(), n)).toBe(sorted[n]!);
});
