/**
 * Compares scores by criterion, each with its own scale and direction.
 *
 * - `measureCriteria(compared, rules)` a finding for every criterion that both sides have.
 */

import {
  caseCount,
  type Interval,
  leastGatingAlpha,
  meanOfMeans,
  type ScoreCases,
  scoreTest,
  sideValues,
} from "../statistics/index.ts";
import type { CriterionRule } from "./compare-options.ts";
import type { CriterionFinding } from "./compare-report.ts";
import type { ChosenPairs } from "./measure-suite.ts";
import { pairedValues } from "./paired-values.ts";
import { type ScoreColumn, type Side, status } from "./side.ts";

export interface MeasuredCriterion extends Omit<CriterionFinding, "verdict" | "pAdjusted" | "q"> {
  /** On the scale 0 to 1, above 0 means better; used for the verdict. */
  readonly better: { readonly difference: number; readonly interval: Interval | null; readonly hasChange: boolean };
}

export function measureCriteria(
  compared: ChosenPairs,
  rules: Readonly<Record<string, CriterionRule>>,
  rest: () => void = () => {},
): MeasuredCriterion[] {
  const { a, b } = compared.pairs;
  const [ofA, ofB] = [a.scores, b.scores];
  return comparedCriteria(ofB, rules).flatMap((criterion) => {
    const [columnA, columnB] = [ofA.get(criterion), ofB.get(criterion)];
    if (!columnA || !columnB) return [];
    const cases = pairedValues(compared, (row, side, into) =>
      side === "a" ? addScore(a, columnA, row, into) : addScore(b, columnB, row, into),
    );
    rest();
    const rule = Object.hasOwn(rules, criterion) ? rules[criterion]! : {};
    return caseCount(cases) === 0 ? [] : [measureOne(criterion, cases, rule)];
  });
}

/** Comparing each of many thousand criteria over all cases would not end. */
const mostCriteria = 100;

/** The most frequent criteria, and those that have a rule; by name. */
function comparedCriteria(
  columns: ReadonlyMap<string, ScoreColumn>,
  rules: Readonly<Record<string, CriterionRule>>,
): string[] {
  const ranked = [...columns].sort(([, one], [, other]) => other.count - one.count).map(([name]) => name);
  return [
    ...new Set([...ranked.filter((name) => Object.hasOwn(rules, name)), ...ranked.slice(0, mostCriteria)]),
  ].sort();
}

function measureOne(criterion: string, cases: ScoreCases, rule: CriterionRule): MeasuredCriterion {
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
    meanA: meanOfMeans(cases, "a"),
    meanB: meanOfMeans(cases, "b"),
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

function scaleOf(cases: ScoreCases, given: CriterionRule["scale"]) {
  if (given) return { scale: given, isAssumed: false };
  let low = 0;
  let high = 1;
  for (const side of ["a", "b"] as const) {
    for (const value of sideValues(cases, side)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return { scale: [low, high] as const, isAssumed: low < 0 || high > 1 };
}

function addScore(side: Side, column: ScoreColumn, row: number, into: number[]): void {
  const found = side.status[row];
  if (found !== status.pass && found !== status.fail) return;
  const score = column.at(row);
  if (Number.isFinite(score)) into.push(score);
}

function orient({ low, high }: Interval, factor: number): Interval {
  return factor > 0 ? { low: low * factor, high: high * factor } : { low: high * factor, high: low * factor };
}
