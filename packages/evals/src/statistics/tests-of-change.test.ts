import { describe, expect, test } from "bun:test";
import { exactMcNemar } from "../../testing/exact-mcnemar.ts";
import { agreeAtZero } from "./agree-at-zero.ts";
import { mantelHaenszel } from "./mantel-haenszel.ts";
import { scoreTest } from "./score-test.ts";
import { seededRandom } from "./seeded-random.ts";
import { signFlip } from "./sign-flip.ts";
import { stratifiedTest } from "./stratified-test.ts";
import { tangoInterval } from "./tango.ts";
import { welchInterval } from "./welch.ts";

const counts = ([passesA, resultsA, passesB, resultsB]: number[]) => ({
  passesA: passesA!,
  resultsA: resultsA!,
  passesB: passesB!,
  resultsB: resultsB!,
});
const pairs = (broke: number, fixed: number, same = 0) => [
  ...Array.from({ length: broke }, () => counts([1, 1, 0, 1])),
  ...Array.from({ length: fixed }, () => counts([0, 1, 1, 1])),
  ...Array.from({ length: same }, () => counts([1, 1, 1, 1])),
];

describe("pass/fail", () => {
  test("McNemar's exact p agrees with statsmodels 0.14 (Agresti's approval table: 86 and 150)", () => {
    expect(exactMcNemar(150, 86).p).toBeCloseTo(3.7159361395713866e-5, 12);
    expect(exactMcNemar(121, 59).p).toBeCloseTo(4.4344492637551645e-6, 12);
    expect(exactMcNemar(0, 0)).toEqual({ p: 1, midP: 1 });
  });

  test("with one result per side, the stratified test equals McNemar's", () => {
    for (const [broke, fixed] of [
      [6, 16],
      [5, 0],
      [0, 6],
      [3, 3],
      [0, 0],
    ] as const) {
      const { p, midP } = exactMcNemar(broke, fixed);
      const tested = stratifiedTest(pairs(broke, fixed, 9));
      expect(tested.p).toBeCloseTo(p, 12);
      expect(tested.midP).toBeCloseTo(midP, 12);
    }
  });

  test("unequal repeats agree with a convolution of scipy.stats.hypergeom", () => {
    const rows = [
      [3, 3, 1, 2],
      [2, 4, 0, 3],
      [5, 5, 4, 5],
      [1, 3, 1, 3],
      [4, 4, 2, 4],
      [10, 10, 0, 1],
    ].map(counts);
    const { statistic, atMost, p, midP, informative } = stratifiedTest(rows);
    expect({ statistic, informative }).toEqual({ statistic: 8, informative: 6 });
    expect(atMost).toBeCloseTo(0.004712430426716143, 12);
    expect(p).toBeCloseTo(0.009424860853432287, 12);
    expect(midP).toBeCloseTo(0.004935064935064937, 12);
  });

  test("p is accurate far out in the tail (90 cases: 1.4757e-16 by the same convolution)", () => {
    const many = (row: number[], times: number) => Array.from({ length: times }, () => counts(row));
    const { p } = stratifiedTest([...many([2, 3, 1, 3], 40), ...many([3, 3, 2, 3], 30), ...many([1, 3, 0, 3], 20)]);
    expect(p / 1.47567960842254e-16).toBeCloseTo(1, 3);
  });

  test("the normal approximation above 3,000 informative cases agrees with the exact test", () => {
    const exact = stratifiedTest(pairs(1560, 1440));
    const normal = stratifiedTest(pairs(1561, 1440));
    expect([exact.method, normal.method]).toEqual(["exact", "normal"]);
    // Exact McNemar of 1561 and 1440 by SciPy's binom.cdf.
    expect(Math.abs(normal.p - exactMcNemar(1561, 1440).p)).toBeLessThan(2e-4);
    expect(stratifiedTest(pairs(1600, 1600)).p).toBe(1);
  });

  test("Mantel–Haenszel with one result per side is the plain difference, and without any change Tango's interval of 2W pairs", () => {
    expect(mantelHaenszel(pairs(6, 16, 139)).difference).toBeCloseTo(10 / 161, 12);
    expect(mantelHaenszel(pairs(0, 0, 20)).interval).toEqual(tangoInterval(0, 0, 20));
    expect(mantelHaenszel([]).interval).toEqual({ low: -1, high: 1 });
  });

  test("Tango's interval agrees with a numerical search for the constrained likelihood (SciPy's brentq)", () => {
    const { low, high } = tangoInterval(8, 0, 30);
    expect([low.toFixed(7), high.toFixed(7)]).toEqual(["-0.4444796", "-0.1228830"]);
    const mixed = tangoInterval(9, 3, 40);
    expect([mixed.low.toFixed(7), mixed.high.toFixed(7)]).toEqual(["-0.3208653", "0.0219880"]);
  });

  test("Tango's interval reaches its limits if everything changed", () => {
    const { low, high } = tangoInterval(8, 0, 8);
    expect(low).toBeCloseTo(-1, 9);
    expect(high).toBeLessThan(0);
  });
});

describe("scores", () => {
  const a = [0.7, 0.8, 0.5, 0.9, 0.45, 0.3, 0.5];
  const b = [0.9, 0.8, 0.7, 0.95, 0.4, 0.6, 0.55];
  const differences = b.map((value, i) => value - a[i]!);

  test("the sign-flip p agrees with scipy.stats.permutation_test, including a tie", () => {
    expect(signFlip(differences).p).toBeCloseTo(0.125, 12);
  });

  test("test and interval agree at zero, both enumerated and drawn", () => {
    const random = seededRandom("agree");
    for (let trial = 0; trial < 60; trial++) {
      const size = trial % 2 === 0 ? 6 + random.below(8) : 22 + random.below(30);
      const shift = random.fraction() * 0.3;
      const values = Array.from({ length: size }, () => random.fraction() - 0.5 + shift);
      const { p, interval } = signFlip(values, { draws: 999 });
      expect(interval!.low <= 0 && interval!.high >= 0).toBe(p > 0.05);
    }
  });

  test("drawn and normal p agree with the exact one", () => {
    const random = seededRandom("continue");
    const values = Array.from({ length: 21 }, () => random.fraction() - 0.38);
    const exact = signFlip(values.slice(0, 20));
    const drawn = signFlip([...values.slice(0, 20), 1e-7]);
    expect([exact.method, drawn.method]).toEqual(["exact", "drawn"]);
    expect(Math.abs(exact.p - drawn.p)).toBeLessThan(0.012);
    const many = Array.from({ length: 2001 }, (_, i) => (i % 2 === 0 ? 1 : -1) + 0.05);
    expect(signFlip(many).method).toBe("normal");
    expect(Math.abs(signFlip(many).p - signFlip(many.slice(0, 2000)).p)).toBeLessThan(0.02);
  });

  test("unchanged cases narrow the interval correctly, in any position", () => {
    const random = seededRandom("still");
    const changed = Array.from({ length: 120 }, () => random.fraction() - 0.3);
    const still = Array.from({ length: 905 }, () => 0);
    const { mean, interval } = signFlip([...still, ...changed]);
    expect(signFlip([...changed, ...still])).toEqual(signFlip([...still, ...changed]));
    const n = changed.length + still.length;
    const variance = changed.reduce((sum, value) => sum + value * value, 0) / n - mean * mean;
    const half = 1.96 * Math.sqrt(variance / n);
    expect(Math.abs(interval!.low - (mean - half))).toBeLessThan(half * 0.1);
    expect(Math.abs(interval!.high - (mean + half))).toBeLessThan(half * 0.1);
  });

  test("the same seed gives the same p, another seed nearly the same", () => {
    const random = seededRandom(3);
    const values = Array.from({ length: 40 }, () => random.fraction() - 0.4);
    expect(signFlip(values, { seed: "one" })).toEqual(signFlip(values, { seed: "one" }));
    expect(Math.abs(signFlip(values, { seed: "one" }).p - signFlip(values, { seed: "two" }).p)).toBeLessThan(0.02);
  });

  test("with scores 0 and 1, repeats are tested like passes", () => {
    const rows = [
      [3, 3, 1, 2],
      [2, 4, 0, 3],
      [5, 5, 4, 5],
    ].map(counts);
    const ones = (passes: number, results: number) => Array.from({ length: results }, (_, i) => Number(i < passes));
    const cases = rows.map((row) => ({ a: ones(row.passesA, row.resultsA), b: ones(row.passesB, row.resultsB) }));
    const tested = scoreTest(cases);
    expect(tested.method).toBe("exact");
    expect(tested.p).toBeCloseTo(stratifiedTest(rows).p, 10);
    expect(tested.difference).toBeCloseTo(mantelHaenszel(rows).difference, 12);
    const twice = [...cases, ...cases];
    expect(scoreTest(twice).method).toBe("drawn");
    expect(Math.abs(scoreTest(twice).p - stratifiedTest([...rows, ...rows]).p)).toBeLessThan(0.004);
  });

  test("with one case, the interval is Welch's, as in scipy.stats.ttest_ind(equal_var=False)", () => {
    const interval = welchInterval([{ a: [20.5, 19.1, 21.7, 18.8, 20.0], b: [22.9, 23.4, 21.2, 25.0] }])!;
    expect(interval.low).toBeCloseTo(0.7478749191177827, 9);
    expect(interval.high).toBeCloseTo(5.462125080882219, 9);
  });
});

describe("the printed interval", () => {
  test("contains 0 exactly when p is above .05", () => {
    const tango = tangoInterval(6, 16, 161);
    const printed = agreeAtZero(tango, 10 / 161, exactMcNemar(6, 16).p)!;
    expect(tango.low).toBeGreaterThan(0);
    expect(printed.low).toBeLessThan(0);
    expect(printed.low).toBeGreaterThan(-0.01);
    expect(printed.high).toBe(tango.high);
    const pulled = agreeAtZero({ low: -0.3, high: 0.01 }, -0.15, 0.04)!;
    expect(pulled.low).toBe(-0.3);
    expect(pulled.high).toBeLessThan(0);
    expect(agreeAtZero({ low: -0.1, high: 0.2 }, 0.05, 0.3)).toEqual({ low: -0.1, high: 0.2 });
    expect(agreeAtZero(null, 0.1, 0.01)).toBeNull();
  });
});
