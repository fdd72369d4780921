/** Published test vectors, to six digits. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { exactMcNemar } from "../../testing/exact-mcnemar.ts";
import vectors from "../../testing/fixtures/statistics-vectors.json" with { type: "json" };
import { benjaminiHochberg, holm } from "./adjust.ts";
import { krippendorffAlpha } from "./krippendorff.ts";
import { mantelHaenszel } from "./mantel-haenszel.ts";
import { pairsNeeded, runsNeeded, simulatedPower } from "./power.ts";
import { cohenKappa } from "./rater-agreement.ts";
import { signFlip } from "./sign-flip.ts";
import { stratifiedTest } from "./stratified-test.ts";
import { tangoInterval } from "./tango.ts";
import { wilsonInterval } from "./wilson.ts";

// Simulations and large sides are slow on a busy machine.
setDefaultTimeout(60_000);

// biome-ignore lint/suspicious/noExplicitAny: each vector has its own shape; a wrong one fails its test
const vector = (id: string): any => vectors.find((one) => one.id === id);
const six = (value: number) => Number(value.toFixed(6));

describe("published vectors", () => {
  test("V1: 161 pairs of Cavo 2012: exact McNemar, mid-p, Tango", () => {
    const { expect: want } = vector("V1");
    const { p, midP } = exactMcNemar(6, 16);
    const { low, high } = tangoInterval(6, 16, 161);
    expect({ exact: six(p), midp: six(midP), diff: six(10 / 161), lo: six(low), hi: six(high) }).toEqual(want);
  });

  test("V2: Agresti's rabbits: the exact stratified test, Mantel–Haenszel, Klingenberg, Sato", () => {
    const { rows, expect: want } = vector("V2");
    const cases = rows.map(([passesA, resultsA, passesB, resultsB]: number[]) => ({
      passesA,
      resultsA,
      passesB,
      resultsB,
    }));
    const tested = stratifiedTest(cases);
    const { difference, interval, standardError } = mantelHaenszel(cases);
    expect({
      T: tested.statistic,
      ge: six(tested.atLeast),
      exact: six(tested.p),
      midp: six(tested.midP),
      diff: six(difference),
      lo: six(interval.low),
      hi: six(interval.high),
      sato_se: six(standardError),
    }).toEqual(want);
  });

  test("V3: Darwin's maize: 863 of 32,768 sign flips", () => {
    const { d, expect: want } = vector("V3");
    const { p, atLeast, interval, method } = signFlip(d);
    expect(method).toBe("exact");
    expect([six(p), six(atLeast), atLeast * 32768]).toEqual([want.p, want.ge, want.count_ge]);
    expect([six(interval!.low), six(interval!.high)]).toEqual(want.interval);
  });

  test("V4: Wilson's intervals of Newcombe 1998", () => {
    for (const [fraction, want] of Object.entries(vector("V4").expect)) {
      const [passes, results] = fraction.split("/").map(Number);
      const { low, high } = wilsonInterval(passes!, results!);
      expect([six(low), six(high)]).toEqual(want as number[]);
    }
  });

  test("V5: Krippendorff 2011, three levels", () => {
    const { units, expect: want } = vector("V5");
    for (const level of ["nominal", "ordinal", "interval"] as const) {
      expect(six(krippendorffAlpha(units, level)!)).toBe(want[level]);
    }
  });

  test("V6: Holm and Benjamini–Hochberg as in R's p.adjust", () => {
    const { expect: want } = vector("V6");
    const ps = [0.01, 0.04, 0.03, 0.005];
    expect(holm(ps).map(six)).toEqual(want.holm);
    expect(benjaminiHochberg(ps).map(six)).toEqual(want.bh);
  });

  test("V7: Cohen's kappa, plain and with squared weights", () => {
    const { tables, expect: want } = vector("V7");
    expect(six(cohenKappa(tables[0])!)).toBe(want.a);
    expect(six(cohenKappa(tables[1])!)).toBe(want.b);
    expect(six(cohenKappa(tables[1], "quadratic")!)).toBe(want.b_quadratic);
  });

  test("V8: pairs and runs for a power of 80 %, and the resulting power of the exact test", () => {
    const { expect: want } = vector("V8");
    expect(pairsNeeded(0.1, 0.05)).toBe(want.pairs);
    expect(runsNeeded({ cases: 18, passRate: 0.95, drop: 0.05 })).toBe(want.runs);
    // 1,500 trials: three standard errors are 0.032.
    const at = (runs: number) =>
      simulatedPower({ cases: 18, runsA: runs, runsB: runs, passRate: 0.95, drop: 0.05, trials: 1500 });
    expect(Math.abs(at(25) - Number(want.simulated_power_at_25))).toBeLessThan(0.032);
    expect(Math.abs(at(26) - Number(want.simulated_power_at_26))).toBeLessThan(0.032);
  });

  test("V10: five flips in one direction are never significant, six are; five scores have no interval", () => {
    const { expect: want } = vector("V10");
    expect(exactMcNemar(5, 0).p).toBe(want.five);
    expect(exactMcNemar(6, 0).p).toBe(want.six);
    const { low, high } = tangoInterval(0, 0, 20);
    expect({ lo: six(low), hi: six(high) }).toEqual(want.tango_0_0_20);
    expect(signFlip([0.1, 0.2, 0.3, 0.2, 0.1]).interval).toBe(want.interval_of_5_scores);
  });
});
