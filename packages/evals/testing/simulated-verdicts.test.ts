/**
 * On identical distributions, the verdict gives at most 5 % false alarms. With 300 seeded trials per row, the tolerance is three
 * standard errors, 3.8 points; the full-size tables are in docs/evals-statistics.md.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { scoreTest } from "../src/statistics/index.ts";
import { seededRandom } from "../src/statistics/seeded-random.ts";
import { simulateVerdicts } from "./simulated-verdicts.ts";

// Simulations and large sides are slow on a busy machine.
setDefaultTimeout(60_000);

const trials = 300;

test.each([
  ["mixed", 5, 1, 1],
  ["mixed", 5, 3, 3],
  ["mixed", 20, 1, 1],
  ["mixed", 20, 3, 3],
  ["mixed", 100, 1, 1],
  ["mixed", 100, 3, 3],
  ["mixed", 20, 10, 1],
  ["flaky", 5, 3, 3],
  ["flaky", 20, 1, 1],
  ["flaky", 20, 3, 3],
  ["flaky", 20, 10, 1],
  ["flaky", 100, 3, 3],
] as const)("%s, %d cases, %d old runs against %d new: at most 5 % false alarms", (kind, cases, repeatsA, repeatsB) => {
  const { rate, tolerance } = simulateVerdicts({ kind, cases, repeatsA, repeatsB, trials });
  expect(rate).toBeLessThanOrEqual(0.05 + tolerance);
});

test.each([
  [5, 3, 3],
  [12, 1, 1],
  [20, 10, 1],
] as const)("with a gating score, %d cases, %d old runs against %d new: at most 5 %", (cases, repeatsA, repeatsB) => {
  const { rate, tolerance } = simulateVerdicts({ kind: "scores", cases, repeatsA, repeatsB, trials: 120 });
  expect(rate).toBeLessThanOrEqual(0.05 + tolerance);
});

test("scores of ten old runs compared with one new run stay at 5 %, where means of cases would not", () => {
  const random = seededRandom("unequal repeats");
  const score = (mean: number) => Math.round(Math.min(1, mean + random.fraction() ** 4) * 20) / 20;
  let alarms = 0;
  for (let trial = 0; trial < trials; trial++) {
    const cases = Array.from({ length: 15 }, () => ({
      a: Array.from({ length: 10 }, () => score(0.1)),
      b: [score(0.1)],
    }));
    if (scoreTest(cases, { draws: 499, seed: trial, withInterval: false }).p <= 0.05) alarms++;
  }
  expect(alarms / trials).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / trials));
});

test("five suites in one comparison share the 5 %", () => {
  const { rate, tolerance } = simulateVerdicts({
    kind: "flaky",
    cases: 20,
    repeatsA: 3,
    repeatsB: 3,
    trials: 200,
    suites: 5,
  });
  expect(rate).toBeLessThanOrEqual(0.05 + tolerance);
});

test("a true drop is detected", () => {
  const plan = { kind: "flaky", cases: 100, repeatsA: 3, repeatsB: 3, trials: 60 } as const;
  const { regressions, improvements } = simulateVerdicts({ ...plan, drop: 0.15 });
  expect(regressions).toBeGreaterThan(50);
  expect(improvements).toBe(0);
});
