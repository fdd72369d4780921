/**
 * Simulates verdicts: both sides are drawn from known probabilities and compared like real runs.
 *
 * - `simulateVerdicts(plan)` how often `compareRuns` gives regression or improvement. With `drop` 0 both sides are drawn from the
 *   same probabilities, so every such verdict is a false alarm.
 */

import { compareRuns } from "../src/compare/compare-runs.ts";
import { type SeededRandom, seededRandom } from "../src/statistics/seeded-random.ts";
import { madeResult, madeRun } from "./made-runs.ts";

export interface SimulationPlan {
  /**
   * mixed: most cases always pass, a fifth passes nine times in ten, a tenth every other time.
   * flaky: every case has its own probability between .2 and .95.
   * scores: mixed, with a gating criterion in steps of .05.
   */
  readonly kind: "mixed" | "flaky" | "scores";
  readonly cases: number;
  readonly repeatsA: number;
  readonly repeatsB: number;
  readonly trials: number;
  readonly drop?: number;
  readonly suites?: number;
  readonly seed?: string;
}

export interface SimulationOutcome {
  readonly trials: number;
  readonly regressions: number;
  readonly improvements: number;
  readonly rate: number;
  /** Three standard errors of a rate of 5 % over that many trials. */
  readonly tolerance: number;
}

export function simulateVerdicts(plan: SimulationPlan): SimulationOutcome {
  const { kind, cases, repeatsA, repeatsB, trials, drop = 0, suites = 1 } = plan;
  const random = seededRandom(plan.seed ?? `${kind} ${cases} ${repeatsA} ${repeatsB} ${suites}`);
  const options = { verdictOnly: true, criteria: { quality: { gates: kind === "scores" } } };
  let regressions = 0;
  let improvements = 0;
  for (let trial = 0; trial < trials; trial++) {
    const chances = Array.from({ length: suites }, () => Array.from({ length: cases }, () => chanceOf(kind, random)));
    const side = (repeats: number, less: number, sha: string) =>
      chances.flatMap((suite, s) => drawRuns(suite, repeats, less, { kind, suite: `suite ${s}`, sha }, random));
    const { verdict } = compareRuns(side(repeatsA, 0, "a"), side(repeatsB, drop, "b"), options);
    if (verdict === "regression") regressions++;
    if (verdict === "improvement") improvements++;
  }
  const tolerance = 3 * Math.sqrt((0.05 * 0.95) / trials);
  return { trials, regressions, improvements, rate: (regressions + improvements) / trials, tolerance };
}

function chanceOf(kind: SimulationPlan["kind"], random: SeededRandom): number {
  if (kind === "flaky") return 0.2 + 0.75 * random.fraction();
  const draw = random.fraction();
  return draw < 0.7 ? 1 : draw < 0.9 ? 0.9 : 0.5;
}

function drawRuns(
  chances: readonly number[],
  repeats: number,
  less: number,
  which: { readonly kind: SimulationPlan["kind"]; readonly suite: string; readonly sha: string },
  random: SeededRandom,
) {
  return Array.from({ length: repeats }, (_, repeat) =>
    madeRun(
      { runId: `${which.sha}${repeat}`, suite: which.suite, gitSha: which.sha },
      chances.map((chance, i) =>
        madeResult({
          name: `case ${i}`,
          inputSha: `input ${i}`,
          status: random.fraction() < chance - less ? "pass" : "fail",
          scores: which.kind === "scores" ? { quality: scoreOf(chance - less, random) } : {},
        }),
      ),
    ),
  );
}

/** Between 0 and 1 in steps of .05, so that ties are common. */
function scoreOf(chance: number, random: SeededRandom): number {
  const noise = (random.fraction() + random.fraction() + random.fraction() - 1.5) * 0.3;
  return Math.round(Math.min(1, Math.max(0, 0.1 + chance * 0.7 + noise)) * 20) / 20;
}
