/**
 * Compares pass rates over the cases of one suite.
 *
 * - `measurePass(cases)` difference, interval and exact p: McNemar and Tango with one result per side, otherwise the stratified
 *   test and Mantel–Haenszel with Klingenberg's interval.
 */

import { agreeAtZero, mantelHaenszel, type PassCounts, stratifiedTest, tangoInterval } from "../statistics/index.ts";
import type { PassFinding } from "./compare-report.ts";

export type MeasuredPass = Omit<PassFinding, "verdict" | "pAdjusted">;

export function measurePass(cases: readonly PassCounts[]): MeasuredPass | null {
  if (cases.length === 0) return null;
  const isSingle = cases.every(({ resultsA, resultsB }) => resultsA === 1 && resultsB === 1);
  const { p, midP, method } = stratifiedTest(cases);
  const { difference, interval: klingenberg } = mantelHaenszel(cases);
  const broke = cases.filter((one) => rateChange(one) < 0).length;
  const fixed = cases.filter((one) => rateChange(one) > 0).length;
  const interval = isSingle ? tangoInterval(broke, fixed, cases.length) : klingenberg;
  return {
    cases: cases.length,
    rateA: meanRate(cases, ({ passesA, resultsA }) => passesA / resultsA),
    rateB: meanRate(cases, ({ passesB, resultsB }) => passesB / resultsB),
    difference,
    interval: agreeAtZero(interval, difference, p) ?? interval,
    intervalMethod: isSingle ? "Tango" : "Klingenberg",
    p,
    midP,
    method: method === "normal" ? "normal" : isSingle ? "exact McNemar" : "exact stratified",
    broke,
    fixed,
    changed: broke + fixed,
  };
}

export function rateChange({ passesA, resultsA, passesB, resultsB }: PassCounts): number {
  return passesB * resultsA - passesA * resultsB;
}

function meanRate(cases: readonly PassCounts[], rateOf: (one: PassCounts) => number): number {
  return cases.reduce((sum, one) => sum + rateOf(one), 0) / cases.length;
}
