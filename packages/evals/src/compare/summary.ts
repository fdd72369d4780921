/**
 * - `summarizeRuns(runs)` all runs per suite and tier: counts, pass rate of the newest state, cost, latency.
 */
import { type Interval, wilsonInterval } from "../statistics/index.ts";
import { findFlaky } from "./flaky.ts";
import { quantile } from "./percentile-finding.ts";
import type { ComparedRun } from "./side.ts";
import { stateKey } from "./state-key.ts";
import { suiteTierKey } from "./stored-runs.ts";

export interface SuiteSummary {
  readonly suite: string;
  readonly tier: string;
  readonly runs: number;
  readonly commits: number;
  readonly cases: number;
  readonly results: number;
  readonly errors: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** The newest state, with all its runs pooled. */
  readonly newest: {
    readonly passes: number;
    readonly results: number;
    readonly passRate: number | null;
    readonly interval: Interval;
  };
  /** The recorded cost; calls without a price are counted, never treated as free. */
  readonly costUsd: number;
  readonly callsUnpriced: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly flakyCases: number;
}

export function summarizeRuns(runs: readonly ComparedRun[]): SuiteSummary[] {
  const groups = Map.groupBy(runs, ({ run }) => suiteTierKey(run));
  return [...groups.keys()].sort().map((key) => summarizeSuite(groups.get(key) ?? []));
}

function summarizeSuite(runs: readonly ComparedRun[]): SuiteSummary {
  const sorted = [...runs].sort((one, other) => (one.run.at < other.run.at ? -1 : 1));
  const [first, last] = [sorted[0]!.run, sorted.at(-1)!.run];
  const results = sorted.flatMap((one) => one.results);
  const newest = sorted.filter(({ run }) => stateKey(run) === stateKey(last)).flatMap((one) => one.results);
  const passes = newest.filter(({ status }) => status === "pass").length;
  const decided = passes + newest.filter(({ status }) => status === "fail").length;
  const usage = sorted.flatMap(({ run, results: own }) => {
    const perResult = own.flatMap((one) => one.usage);
    return perResult.length > 0 ? perResult : run.costs;
  });
  const latencies = Float64Array.from(
    results.flatMap(({ durationMs, cached }) => (durationMs === null || cached ? [] : [durationMs])),
  ).sort();
  return {
    suite: first.suite,
    tier: first.tier,
    runs: sorted.length,
    commits: new Set(sorted.map(({ run }) => run.gitSha).filter((sha) => sha !== null)).size,
    cases: new Set(results.map(({ name, inputSha }) => `${inputSha ?? ""}\u0000${name}`)).size,
    results: results.length,
    errors: results.filter(({ status }) => status === "error").length,
    firstAt: first.at,
    lastAt: last.at,
    newest: {
      passes,
      results: decided,
      passRate: decided === 0 ? null : passes / decided,
      interval: wilsonInterval(passes, decided),
    },
    costUsd: usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    callsUnpriced: usage.reduce((sum, { costUsd, calls }) => sum + (costUsd === null ? calls : 0), 0),
    latencyP50Ms: latencies.length === 0 ? null : quantile(latencies, 0.5),
    latencyP95Ms: latencies.length === 0 ? null : quantile(latencies, 0.95),
    flakyCases: findFlaky(sorted).length,
  };
}
