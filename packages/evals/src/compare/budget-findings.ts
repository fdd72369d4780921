/**
 * Budgets: cost, latency, turns, tools. Tests ln(B/A) within each case, as for scores; reported as a geometric ratio.
 *
 * - `measureBudgets(pairs, runs, options)` a finding for every measure that both sides have.
 *
 * Cached results and errors are left out of the test; for latency also results of a machine that the other side did not run
 * on (a host changes how long a call takes, not what it costs). The number left out is reported.
 */

import { type Interval, type ScoreCase, scoreTest } from "../statistics/index.ts";
import type { CompareOptions } from "./compare-options.ts";
import type { BudgetFinding, BudgetMeasure } from "./compare-report.ts";
import type { CasePair } from "./pair-cases.ts";
import { comparePercentile, quantile } from "./percentile-finding.ts";
import type { CaseResult, ComparedRun, SideCase } from "./side.ts";

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
  valueOf(one: CaseResult): number | null;
}

export function measureBudgets(
  pairs: readonly CasePair[],
  runs: { readonly a: readonly ComparedRun[]; readonly b: readonly ComparedRun[] },
  options: CompareOptions,
): MeasuredBudget[] {
  const hosts = { a: hostsOf(runs.a), b: hostsOf(runs.b) };
  const found = measuresFor(options).flatMap((measure) => {
    const leftOut = { cached: 0, errored: 0, otherHost: 0 };
    const allA: number[] = [];
    const allB: number[] = [];
    const cases: ScoreCase[] = [];
    const take = ({ results }: SideCase, all: number[], otherHosts: ReadonlySet<string>) =>
      results.flatMap((one) => {
        const value = measure.valueOf(one);
        if (value === null || !Number.isFinite(value) || value + measure.shift <= 0) return [];
        if (one.result.status === "skipped") return [];
        all.push(value);
        const isForeign =
          measure.hostMatters && one.run.host !== null && otherHosts.size > 0 && !otherHosts.has(one.run.host);
        if (one.result.cached) leftOut.cached++;
        else if (one.result.status === "error") leftOut.errored++;
        else if (isForeign) leftOut.otherHost++;
        else return [value];
        return [];
      });
    for (const { a, b } of pairs) {
      const values = { a: take(a, allA, hosts.b), b: take(b, allB, hosts.a) };
      if (values.a.length > 0 && values.b.length > 0) cases.push(values);
    }
    return allA.length === 0 || allB.length === 0 ? [] : findingsOf(measure, cases, { a: allA, b: allB }, leftOut);
  });
  return found.some(({ measure }) => measure === "cost") ? found : [...summedCosts(runs), ...found];
}

function findingsOf(
  measure: Measure,
  cases: readonly ScoreCase[],
  all: ScoreCase,
  leftOut: BudgetFinding["leftOut"],
): MeasuredBudget[] {
  const logs = (values: readonly number[]) => values.map((value) => Math.log(value + measure.shift));
  const isLatency = measure.measure === "latency";
  const central = isLatency ? (values: readonly number[]) => quantile(values, 0.5) : meanOf;
  const tested = scoreTest(
    cases.map(({ a, b }) => ({ a: logs(a), b: logs(b) })),
    { seed: measure.measure },
  );
  const used = cases.length > 0 ? { a: cases.flatMap(({ a }) => a), b: cases.flatMap(({ b }) => b) } : all;
  const [valueA, valueB] = [central(used.a), central(used.b)];
  const nothingLeft = cases.length === 0 ? "only cached results, errors or results of other machines" : null;
  const main: MeasuredBudget = {
    measure: measure.measure,
    unit: measure.unit,
    gates: nothingLeft === null,
    notGatingBecause: nothingLeft,
    valueA,
    valueB,
    absolute: valueB - valueA,
    ratio: cases.length > 0 ? Math.exp(tested.difference) : valueB / valueA,
    interval: tested.interval && exponential(tested.interval),
    p: tested.p,
    cases: tested.cases,
    leftOut,
  };
  if (!isLatency || cases.length === 0) return [main];
  return [main, { ...comparePercentile(cases, 0.95), measure: "latency p95", unit: "ms", leftOut }];
}

/** For tools that record only the cost of the whole run: the mean per run on each side, without a test. */
function summedCosts({ a, b }: { readonly a: readonly ComparedRun[]; readonly b: readonly ComparedRun[] }) {
  const perResult = (side: readonly ComparedRun[]) => {
    const told = side.filter(
      ({ run, results }) => run.costs.some(({ costUsd }) => costUsd !== null) && results.length > 0,
    );
    const spent = told.flatMap(({ run }) => run.costs).reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
    const results = told.reduce((sum, one) => sum + one.results.length, 0);
    return results === 0 ? null : spent / results;
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

function measuresFor(options: CompareOptions): Measure[] {
  const costOf = options.costOf ?? (({ usage }) => knownCost(usage));
  return [
    { measure: "cost", unit: "USD", shift: 0, hostMatters: false, valueOf: ({ result, run }) => costOf(result, run) },
    { measure: "latency", unit: "ms", shift: 0, hostMatters: true, valueOf: ({ result }) => result.durationMs },
    { measure: "turns", unit: "count", shift: 0, hostMatters: false, valueOf: ({ result }) => result.turns },
    {
      measure: "tools",
      unit: "count",
      shift: 1,
      hostMatters: false,
      valueOf: ({ result }) => toolCalls(result.output),
    },
  ];
}

/** Unknown if any call has no price: a partial cost would look like a saving. */
function knownCost(usage: CaseResult["result"]["usage"]): number | null {
  if (usage.length === 0 || usage.some(({ costUsd }) => costUsd === null)) return null;
  return usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

function toolCalls(output: unknown): number | null {
  if (typeof output !== "object" || output === null || !("tool_calls" in output)) return null;
  return Array.isArray(output.tool_calls) ? output.tool_calls.length : null;
}

function hostsOf(side: readonly ComparedRun[]): Set<string> {
  return new Set(side.flatMap(({ run }) => (run.host === null ? [] : [run.host])));
}

function exponential({ low, high }: Interval): Interval {
  return { low: Math.exp(low), high: Math.exp(high) };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
