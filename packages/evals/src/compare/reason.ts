/**
 * Verdicts as sentences.
 *
 * - `reasonFor(suite)` one sentence with the numbers that decided.
 * - `headlineFor(verdict, suites)` one line for the whole comparison.
 * - `points(share)`, `signedPoints(share)`, `pText(p)`, `pPhrase(p)`, `percent(share)` format numbers.
 */

import type { CompareReport, CriterionFinding, SuiteReport, Verdict } from "./compare-report.ts";
import { mostLost } from "./verdict.ts";

export function reasonFor(suite: Omit<SuiteReport, "reason">): string {
  const { pass, pairs, errors, criteria } = suite;
  if (suite.refused !== null) return `Not compared: ${suite.refused}.`;
  if (suite.a.runs === 0 || suite.b.runs === 0) {
    return `Nothing compared: side ${suite.a.runs === 0 ? "A" : "B"} has no run of this suite and tier.`;
  }
  if (pairs.common === 0) return "Nothing compared: the two sides have no cases in common.";
  if (!pass) return "Nothing compared: no case has a pass or fail on both sides.";
  if (pairs.lostToErrors > mostLost * (pairs.compared + pairs.lostToErrors)) {
    return `${pairs.lostToErrors} of ${pairs.compared + pairs.lostToErrors} cases were lost to errors (A ${errors.a}, B ${errors.b}).`;
  }
  const decisive = criteria.filter(({ gates, verdict }) => gates && verdict === suite.verdict);
  const words = [passSentence(suite.verdict, pass)];
  if (suite.verdict !== "no evidence") words.push(...decisive.map(criterionSentence));
  return words.join(" ");
}

function passSentence(verdict: Verdict, pass: NonNullable<SuiteReport["pass"]>): string {
  const { difference, interval, pAdjusted, cases, broke, fixed } = pass;
  const kind = pass.isSequential ? "95 % interval, valid at any time," : "95 % interval";
  const range = `${kind} ${signedPoints(interval.low)} to ${signedPoints(interval.high)}`;
  const changes = `${broke} of ${cases} cases worse, ${fixed} better`;
  if (broke + fixed === 0) return `No case changed (${plural(cases, "case")}; ${range} points).`;
  const moved = `Pass rate ${signedPoints(difference)} points (${range}; ${pPhrase(pAdjusted)}); ${changes}.`;
  if (verdict === "not enough data") return `${moved} This neither shows nor rules out a relevant loss.`;
  return moved;
}

function criterionSentence({ criterion, difference, pAdjusted }: CriterionFinding): string {
  return `${criterion} ${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(3)} (${pPhrase(pAdjusted ?? 1)}).`;
}

export function headlineFor(verdict: Verdict, suites: readonly SuiteReport[], isCompared: boolean): string {
  if (suites.some(({ refused }) => refused !== null) && verdict !== "regression") {
    return "Not compared: the judges differ.";
  }
  if (!isCompared) return "Nothing compared.";
  const named = (wanted: Verdict) => suites.filter((suite) => suite.verdict === wanted).map(suiteTitle);
  const broken = suites.reduce((sum, suite) => sum + suite.broken.length, 0);
  const fixed = suites.reduce((sum, suite) => sum + suite.fixed.length, 0);
  const changes = `${counted(broken, "case")} broke, ${grouped(fixed)} fixed`;
  const lacking = named("not enough data").length;
  const rest =
    lacking > 0 && lacking < suites.length ? `; not enough data in ${lacking} of ${suites.length} suites` : "";
  switch (verdict) {
    case "regression":
      return `Regression in ${named("regression").join(", ")}: ${changes}${rest}.`;
    case "improvement":
      return `Improvement in ${named("improvement").join(", ")}: ${changes}${rest}.`;
    case "no evidence":
      return `No evidence of a regression: ${changes}${broken > 0 ? `; ${whyNot(suites)}` : ""}.`;
    case "not enough data":
      return `Not enough data to tell: ${changes}${rest}.`;
  }
}

/** Why cases broke and yet nothing got worse: without the reason, the two look like a contradiction. */
function whyNot(suites: readonly SuiteReport[]): string {
  const passes = suites.flatMap(({ pass }) => pass ?? []);
  const [only] = passes;
  if (passes.length === 1 && only) {
    const { difference, interval } = only;
    return `the pass rate changed by ${signedPoints(difference)} points (95 % interval ${signedPoints(interval.low)} to ${signedPoints(interval.high)}), which cases that vary by themselves explain`;
  }
  return "in no suite is the net change more than cases that vary by themselves explain";
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

export interface SuiteName {
  readonly suite: string;
  readonly tier: string;
  readonly variant?: string | null;
}

export function suiteTitle({ suite, tier, variant }: SuiteName): string {
  return `${suite}${tier === "standard" ? "" : ` (${tier})`}${variant ? ` · ${variant}` : ""}`;
}

export function sideTitle({ shas, labels, runs }: CompareReport["a"]): string {
  const shown = shas.length > 0 ? shas.map((sha) => sha.slice(0, 10)) : labels;
  const names = shown.slice(0, 3).join(", ") + (shown.length > 3 ? ", …" : "");
  return `${names || "—"} (${plural(runs.length, "run")})`;
}

export function points(share: number): string {
  return (Math.abs(share) * 100).toFixed(1);
}

export function signedPoints(share: number): string {
  const text = points(share);
  return text === "0.0" ? "0.0" : `${share < 0 ? "−" : "+"}${text}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function pText(p: number): string {
  return p < 0.001 ? "< 0.001" : p.toFixed(p < 0.1 ? 3 : 2);
}

export function pPhrase(p: number, letter = "p"): string {
  return p < 0.001 ? `${letter} < 0.001` : `${letter} = ${pText(p)}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
