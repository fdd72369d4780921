/** Reference values from SciPy 1.17.1 (`scipy.special.gammaln`, `scipy.stats`). */
import { describe, expect, test } from "bun:test";
import { binomialAtLeast, binomialAtMost, binomialProbability } from "../../testing/binomial.ts";
import { fisherExact, hypergeometric } from "./hypergeometric.ts";
import { choose, logBeta, logGamma } from "./log-gamma.ts";
import { normalQuantile, normalTail, z95, zPower80 } from "./normal.ts";
import { incompleteBeta, studentQuantile, studentTail } from "./student.ts";

function closeTo(got: number, want: number, relative = 1e-11) {
  expect(Math.abs(got - want)).toBeLessThanOrEqual(relative * Math.max(Math.abs(want), 1e-12));
}

test("log-gamma agrees with SciPy from a thousandth to a million", () => {
  const want: [number, number][] = [
    [0.5, 0.5723649429247],
    [1.5, -0.12078223763524526],
    [10.1, 13.027526738633238],
    [171.5, 709.1431630309283],
    [1e6, 12815504.569147611],
    [1e-3, 6.907178885383853],
  ];
  for (const [x, value] of want) closeTo(logGamma(x), value, 1e-12);
  expect(Math.abs(logGamma(1))).toBeLessThan(1e-14);
  expect(logGamma(0)).toBeNaN();
  closeTo(logBeta(0.5, 0.5), Math.log(Math.PI));
});

test("binomial coefficients are exact if a double can represent them", () => {
  expect([choose(49, 5), choose(50, 25), choose(5, 6), choose(0, 0)]).toEqual([1906884, 126410606437752, 0, 1]);
  closeTo(choose(100, 3), 161700);
});

describe("counts", () => {
  test("binomial probabilities and tails agree with SciPy", () => {
    closeTo(binomialProbability(6, 20, 0.3), 0.19163898275344254);
    closeTo(binomialProbability(20, 20, 0.3), 3.4867844009999975e-11);
    closeTo(binomialAtMost(6, 20, 0.3), 0.6080098122009244);
    closeTo(binomialAtLeast(6, 20, 0.3), 0.5836291705525192);
    expect([binomialProbability(0, 3, 0), binomialProbability(3, 3, 1)]).toEqual([1, 1]);
  });

  test("the hypergeometric distribution of 7 passes over 8 and 12 results agrees with SciPy", () => {
    const { from, probabilities } = hypergeometric(7, 8, 12);
    expect(from).toBe(0);
    const want = [
      0.00010319917440660477, 0.0043343653250774005, 0.047678018575851404, 0.19865841073271417, 0.3575851393188855,
      0.2860681114551084, 0.0953560371517028, 0.010216718266253873,
    ];
    want.forEach((value, i) => void closeTo(probabilities[i]!, value));
  });

  test("Fisher's lady tasting tea: 17 of 70 permutations", () => {
    const { better, twoSided } = fisherExact({ passesA: 1, resultsA: 4, passesB: 3, resultsB: 4 });
    closeTo(better, 17 / 70);
    closeTo(twoSided, 34 / 70);
  });

  test("Fisher's exact test agrees with scipy.stats.fisher_exact", () => {
    const { worse, better, twoSided } = fisherExact({ passesA: 2, resultsA: 7, passesB: 8, resultsB: 9 });
    closeTo(better, 0.024475524475524483);
    closeTo(worse, 0.9991258741258742);
    closeTo(twoSided, 0.034965034965034975);
    closeTo(fisherExact({ passesA: 10, resultsA: 10, passesB: 0, resultsB: 3 }).worse, 0.0034965034965034965);
  });
});

describe("continuous distributions", () => {
  test("the normal tail is accurate far out", () => {
    closeTo(normalTail(6), 9.865876450376946e-10);
    closeTo(normalTail(1.96), 0.024997895148220435);
    closeTo(normalTail(-1), 0.8413447460685429);
    expect(normalTail(0)).toBe(0.5);
  });

  test("the normal quantile is its inverse", () => {
    closeTo(normalQuantile(1e-10), -6.361340902404056);
    closeTo(normalQuantile(0.975), z95, 1e-12);
    closeTo(normalQuantile(0.8), zPower80, 1e-12);
    closeTo(normalQuantile(0.999), 3.090232306167813);
    expect(normalQuantile(0.5)).toBe(0);
  });

  test("Student's t agrees with SciPy, also with fractional degrees of freedom", () => {
    const want: [number, number][] = [
      [1, 12.706204736174694],
      [1.5, 6.016663104427929],
      [2.7, 3.3921483831737507],
      [5, 2.5705818356363146],
      [30.4, 2.041146209285831],
      [200, 1.9718962236339088],
    ];
    for (const [df, value] of want) closeTo(studentQuantile(0.975, df), value, 1e-9);
    closeTo(studentTail(12.706204736174694, 1), 0.025, 1e-9);
    closeTo(incompleteBeta(2.5, 0.5, 0.3), 0.018927124071945658);
    closeTo(incompleteBeta(0.5, 0.5, 0.25), 1 / 3);
    closeTo(incompleteBeta(100, 3, 0.97), 0.40633618022259166);
  });
});
