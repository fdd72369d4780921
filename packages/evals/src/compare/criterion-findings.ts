/**
 * Compares scores by criterion, each with its own scale and direction.
 *
 * - `measureCriteria(pairs, rules)` a finding for every criterion that both sides have.
 */

import { type Interval, leastGatingAlpha, type ScoreCase, scoreTest } from "../statistics/index.ts";
import type { CriterionRule } from "./compare-options.ts";
import type { CriterionFinding } from "./compare-report.ts";
import type { CasePair } from "./pair-cases.ts";
import type { SideCase } from "./side.ts";

export interface MeasuredCriterion extends Omit<CriterionFinding, "verdict" | "pAdjusted" | "q"> {
  /** On the scale 0 to 1, above 0 means better; used for the verdict. */
  readonly better: { readonly difference: number; readonly interval: Interval | null; readonly hasChange: boolean };
}

export function measureCriteria(
  pairs: readonly CasePair[],
  rules: Readonly<Record<string, CriterionRule>>,
): MeasuredCriterion[] {
  const names = new Set<string>();
  for (const { b } of pairs) {
    for (const { result } of b.results) for (const name of Object.keys(result.scores)) names.add(name);
  }
  return [...names].sort().flatMap((criterion) => {
    const cases = pairs
      .map(({ a, b }) => ({ a: scoresOf(a, criterion), b: scoresOf(b, criterion) }))
      .filter(({ a, b }) => a.length > 0 && b.length > 0);
    const rule = Object.hasOwn(rules, criterion) ? rules[criterion]! : {};
    return cases.length === 0 ? [] : [measureOne(criterion, cases, rule)];
  });
}

function measureOne(criterion: string, cases: readonly ScoreCase[], rule: CriterionRule): MeasuredCriterion {
  const direction = rule.direction ?? "higher";
  const { scale, isAssumed } = scaleOf(cases, rule.scale);
  const tested = scoreTest(cases, { seed: criterion });
  const sign = direction === "higher" ? 1 : -1;
  const width = scale[1] - scale[0] || 1;
  const notGatingBecause = reasonNotToGate(rule, isAssumed);
  return {
    criterion,
    gates: rule.gates === true && notGatingBecause === null,
    notGatingBecause: rule.gates === true ? notGatingBecause : null,
    direction,
    scale,
    cases: tested.cases,
    meanA: meanOf(cases.map(({ a }) => meanOf(a))),
    meanB: meanOf(cases.map(({ b }) => meanOf(b))),
    difference: tested.difference,
    interval: tested.interval,
    p: tested.p,
    better: {
      difference: (sign * tested.difference) / width,
      interval: tested.interval && orient(tested.interval, sign / width),
      hasChange: tested.changed > 0,
    },
  };
}

function reasonNotToGate({ agreement }: CriterionRule, isAssumed: boolean): string | null {
  if (typeof agreement === "number" && agreement < leastGatingAlpha) {
    return `its judges agree too little (alpha ${agreement.toFixed(2)}, needed ${leastGatingAlpha})`;
  }
  return isAssumed ? "its scores are outside 0 to 1 and no scale was given" : null;
}

function scaleOf(cases: readonly ScoreCase[], given: CriterionRule["scale"]) {
  if (given) return { scale: given, isAssumed: false };
  let low = 0;
  let high = 1;
  for (const { a, b } of cases) {
    for (const value of [...a, ...b]) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return { scale: [low, high] as const, isAssumed: low < 0 || high > 1 };
}

function scoresOf({ results }: SideCase, criterion: string): number[] {
  return results.flatMap(({ result }) => {
    const score = Object.hasOwn(result.scores, criterion) ? result.scores[criterion] : undefined;
    const counts = result.status === "pass" || result.status === "fail";
    return counts && typeof score === "number" && Number.isFinite(score) ? [score] : [];
  });
}

function orient({ low, high }: Interval, factor: number): Interval {
  return factor > 0 ? { low: low * factor, high: high * factor } : { low: high * factor, high: low * factor };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
