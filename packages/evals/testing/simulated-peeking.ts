/**
 * Simulates people who compare after every run and stop at the first verdict.
 *
 * - `simulatePeeking(plan)` how often they see regression or improvement, with the sequential test and with the test for a fixed
 *   number of runs. With `drop` 0 every such verdict is a false alarm.
 */
import { measurePass } from "../src/compare/pass-finding.ts";
import { decide, passScale } from "../src/compare/verdict.ts";
import { sequentialDecision } from "../src/runner/until-decided.ts";
import { pairedEvidence } from "../src/statistics/paired-evidence.ts";
import { type SeededRandom, seededRandom } from "../src/statistics/seeded-random.ts";

export interface PeekingPlan {
  /** As in `simulateVerdicts`. */
  readonly kind: "mixed" | "flaky";
  readonly cases: number;
  /** The most runs per side; there is a look after each. */
  readonly looks: number;
  readonly trials: number;
  readonly drop?: number;
  readonly seed?: string;
}

export interface PeekingOutcome {
  readonly trials: number;
  /** The share of trials that ever got such a verdict. */
  readonly sequential: number;
  readonly fixed: number;
  /** The share whose sequential p was ever at most .05, also after another verdict and at whatever size of the change. */
  readonly everSmall: number;
  /** The mean number of results per side until the sequential test decided anything, also that nothing changed. */
  readonly results: number;
  readonly decided: number;
}

export function simulatePeeking(plan: PeekingPlan): PeekingOutcome {
  const { kind, cases, looks, trials, drop = 0 } = plan;
  const random = seededRandom(plan.seed ?? `peeking ${kind} ${cases} ${drop}`);
  const sums = { sequential: 0, fixed: 0, everSmall: 0, results: 0, decided: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const chances = Array.from({ length: cases }, () => chanceOf(kind, random));
    const decision = sequentialDecision({ cases, sides: ["old", "new"] });
    const counts = chances.map(() => ({ passesA: 0, resultsA: 0, passesB: 0, resultsB: 0 }));
    let isFixedAlarm = false;
    let isEverSmall = false;
    const differing = { better: 0, worse: 0 };
    for (let look = 0; look < looks; look++) {
      for (const [at, chance] of chances.entries()) {
        const [a, b] = [random.fraction() < chance, random.fraction() < chance - drop];
        counts[at]!.passesA += Number(a);
        counts[at]!.passesB += Number(b);
        counts[at]!.resultsA += 1;
        counts[at]!.resultsB += 1;
        if (a !== b) differing[b ? "better" : "worse"] += 1;
        isEverSmall ||= pairedEvidence(differing.better, differing.worse).p <= 0.05;
        decision.add(0, at, look, a ? "pass" : "fail");
        decision.add(1, at, look, b ? "pass" : "fail");
      }
      isFixedAlarm ||= isChange(fixedVerdict(counts));
    }
    const { verdict, isDecided, pairs } = decision.findings[0]!;
    sums.sequential += Number(isChange(verdict));
    sums.fixed += Number(isFixedAlarm);
    sums.everSmall += Number(isEverSmall);
    sums.decided += Number(isDecided);
    sums.results += isDecided ? pairs : cases * looks;
  }
  return {
    trials,
    sequential: sums.sequential / trials,
    fixed: sums.fixed / trials,
    everSmall: sums.everSmall / trials,
    results: sums.results / trials,
    decided: sums.decided / trials,
  };
}

const isChange = (verdict: string): boolean => verdict === "regression" || verdict === "improvement";

function fixedVerdict(counts: Parameters<typeof measurePass>[0]): string {
  const pass = measurePass(counts)!;
  return decide({ ...pass, ...passScale, pAdjusted: pass.p, alpha: 0.05, hasChange: pass.changed > 0 });
}

function chanceOf(kind: PeekingPlan["kind"], random: SeededRandom): number {
  if (kind === "flaky") return 0.2 + 0.75 * random.fraction();
  const draw = random.fraction();
  return draw < 0.7 ? 1 : draw < 0.9 ? 0.9 : 0.5;
}
