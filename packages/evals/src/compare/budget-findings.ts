/**
 * Budgets: cost, latency, turns, tools. Tests ln(B/A) within each case, as for scores; reported as a geometric ratio.
 *
 * - `measureBudgets(tried, runs)` a finding for every measure that both sides have.
 *
 * Cached results and errors are left out of the test; for latency also results of a machine that the other side did not run
 * on (a host changes how long a call takes, not what it costs). The number left out is reported.
 */

import {
  caseCount,
  type Interval,
  mapScores,
  meanOf,
  type ScoreCase,
  type ScoreCases,
  scoreTest,
  sideValues,
} from "../statistics/index.ts";
import type { BudgetFinding, BudgetMeasure } from "./compare-report.ts";
import type { ChosenPairs } from "./measure-suite.ts";
import { pairedValues } from "./paired-values.ts";
import { comparePercentile, quantile } from "./percentile-finding.ts";
import { type ComparedRun, type Side, status } from "./side.ts";

export interface MeasuredBudget extends Omit<BudgetFinding, "verdict" | "pAdjusted"> {
  /** B − A in the measure's unit, per result. */
  readonly absolute: number;
}

interface Measure {
  readonly measure: Exclude<BudgetMeasure, "latency p95">;
  readonly unit: BudgetFinding["unit"];
  /** Added before the logarithm, for measures that can be zero. */
  readonly shift: number;
  readonly hostMatters: boolean;
  columnOf(side: Side): Float64Array;
}

export function measureBudgets(
  tried: ChosenPairs,
  runs: { readonly a: readonly ComparedRun[]; readonly b: readonly ComparedRun[] },
  rest: () => void = () => {},
): MeasuredBudget[] {
  const hosts = { a: hostsOf(runs.a), b: hostsOf(runs.b) };
  const sides = { a: tried.pairs.a, b: tried.pairs.b };
  const found = measures.flatMap((measure) => {
    const columns = { a: measure.columnOf(sides.a), b: measure.columnOf(sides.b) };
    const leftOut = { cached: 0, errored: 0, otherHost: 0 };
    const all: { readonly a: number[]; readonly b: number[] } = { a: [], b: [] };
    const cases = pairedValues(tried, (row, name, into) => {
      const side = sides[name];
      const value = columns[name][row]!;
      if (!Number.isFinite(value) || value + measure.shift <= 0 || side.status[row] === status.skipped) return;
      all[name].push(value);
      const { host } = side.runs[side.run[row]!]!.run;
      const otherHosts = name === "a" ? hosts.b : hosts.a;
      const isForeign = measure.hostMatters && host !== null && otherHosts.size > 0 && !otherHosts.has(host);
      if (side.cached[row]) leftOut.cached++;
      else if (side.status[row] === status.error) leftOut.errored++;
      else if (isForeign) leftOut.otherHost++;
      else into.push(value);
    });
    rest();
    return all.a.length === 0 || all.b.length === 0 ? [] : findingsOf(measure, cases, all, leftOut);
  });
  return found.some(({ measure }) => measure === "cost") ? found : [...summedCosts(runs), ...found];
}

function findingsOf(
  measure: Measure,
  cases: ScoreCases,
  all: ScoreCase,
  leftOut: BudgetFinding["leftOut"],
): MeasuredBudget[] {
  const count = caseCount(cases);
  const isLatency = measure.measure === "latency";
  const central = isLatency ? (values: Float64Array) => quantile(values.slice().sort(), 0.5) : meanOf;
  const tested = scoreTest(
    mapScores(cases, (value) => Math.log(value + measure.shift)),
    { seed: measure.measure },
  );
  const used = (side: "a" | "b") => (count > 0 ? sideValues(cases, side) : Float64Array.from(all[side]));
  const [valueA, valueB] = [central(used("a")), central(used("b"))];
  const nothingLeft = count === 0 ? "only cached results, errors or results of other machines" : null;
  const main: MeasuredBudget = {
    measure: measure.measure,
    unit: measure.unit,
    gates: nothingLeft === null,
    notGatingBecause: nothingLeft,
    valueA,
    valueB,
    absolute: valueB - valueA,
    ratio: count > 0 ? Math.exp(tested.difference) : valueB / valueA,
    interval: tested.interval && exponential(tested.interval),
    p: tested.p,
    cases: tested.cases,
    leftOut,
  };
  if (!isLatency || count === 0) return [main];
  return [main, { ...comparePercentile(cases, 0.95), measure: "latency p95", unit: "ms", leftOut }];
}

/** For tools that record only the cost of the whole run: the mean per run on each side, without a test. */
function summedCosts({ a, b }: { readonly a: readonly ComparedRun[]; readonly b: readonly ComparedRun[] }) {
  const perResult = (side: readonly ComparedRun[]) => {
    const told = side.flatMap((one) => {
      const usd = runCost(one);
      return usd === null || one.results.length === 0 ? [] : [{ usd, results: one.results.length }];
    });
    const results = told.reduce((sum, one) => sum + one.results, 0);
    return results === 0 ? null : told.reduce((sum, { usd }) => sum + usd, 0) / results;
  };
  const [valueA, valueB] = [perResult(a), perResult(b)];
  if (valueA === null || valueB === null || valueA <= 0) return [];
  const summed: MeasuredBudget = {
    measure: "cost",
    unit: "USD",
    gates: true,
    notGatingBecause: null,
    valueA,
    valueB,
    absolute: valueB - valueA,
    ratio: valueB / valueA,
    interval: null,
    p: null,
    cases: 0,
    leftOut: { cached: 0, errored: 0, otherHost: 0 },
  };
  return [summed];
}

/** Unknown if a call has no price, or if nothing was recorded. */
function runCost({ run, cost }: ComparedRun): number | null {
  if (cost)
    return cost.unpricedCalls > 0 || cost.actualUsd + cost.estimatedUsd === 0
      ? null
      : cost.actualUsd + cost.estimatedUsd;
  const told = run.costs.flatMap(({ costUsd }) => costUsd ?? []);
  return told.length === 0 ? null : told.reduce((sum, usd) => sum + usd, 0);
}

const measures: readonly Measure[] = [
  { measure: "cost", unit: "USD", shift: 0, hostMatters: false, columnOf: ({ usd }) => usd },
  { measure: "latency", unit: "ms", shift: 0, hostMatters: true, columnOf: ({ durationMs }) => durationMs },
  { measure: "turns", unit: "count", shift: 0, hostMatters: false, columnOf: ({ turns }) => turns },
  { measure: "tools", unit: "count", shift: 1, hostMatters: false, columnOf: ({ tools }) => tools },
];

function hostsOf(side: readonly ComparedRun[]): Set<string> {
  return new Set(side.flatMap(({ run }) => (run.host === null ? [] : [run.host])));
}

function exponential({ low, high }: Interval): Interval {
  return { low: Math.exp(low), high: Math.exp(high) };
}
