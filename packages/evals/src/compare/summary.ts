/**
 * - `summarizeRuns(runs)` all runs per suite and tier: counts, pass rate of the newest state, cost, latency.
 */
import type { RunCost } from "../costs/run-costs.ts";
import { caseKey } from "../results/identity.ts";
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
  /** As in lists and `eval cost`; calls without a price are counted, never treated as free. */
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly flakyCases: number;
}

export interface SummarizedRun extends ComparedRun {
  /** As computed when the run was stored. */
  readonly cost: Pick<RunCost, "actualUsd" | "estimatedUsd" | "unpricedCalls">;
}

export function summarizeRuns(runs: readonly SummarizedRun[]): SuiteSummary[] {
  const groups = Map.groupBy(runs, ({ run }) => suiteTierKey(run));
  return [...groups.keys()].sort().map((key) => summarizeSuite(groups.get(key) ?? []));
}

function summarizeSuite(runs: readonly SummarizedRun[]): SuiteSummary {
  const sorted = [...runs].sort((one, other) => (one.run.at < other.run.at ? -1 : 1));
  const [first, last] = [sorted[0]!.run, sorted.at(-1)!.run];
  const cases = new Set<string>();
  const durations: number[] = [];
  let [results, errors, passes, decided] = [0, 0, 0, 0];
  for (const { run, results: own } of sorted) {
    const isNewest = stateKey(run) === stateKey(last);
    for (const { name, inputSha, status, durationMs, cached } of own) {
      results++;
      cases.add(caseKey(name, inputSha));
      if (status === "error") errors++;
      if (durationMs !== null && !cached) durations.push(durationMs);
      if (!isNewest) continue;
      if (status === "pass") passes++;
      if (status === "pass" || status === "fail") decided++;
    }
  }
  const latencies = Float64Array.from(durations).sort();
  const sum = (pick: (cost: SummarizedRun["cost"]) => number) => sorted.reduce((all, { cost }) => all + pick(cost), 0);
  return {
    suite: first.suite,
    tier: first.tier,
    runs: sorted.length,
    commits: new Set(sorted.map(({ run }) => run.gitSha).filter((sha) => sha !== null)).size,
    cases: cases.size,
    results,
    errors,
    firstAt: first.at,
    lastAt: last.at,
    newest: {
      passes,
      results: decided,
      passRate: decided === 0 ? null : passes / decided,
      interval: wilsonInterval(passes, decided),
    },
    actualUsd: sum(({ actualUsd }) => actualUsd),
    estimatedUsd: sum(({ estimatedUsd }) => estimatedUsd),
    unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
    latencyP50Ms: latencies.length === 0 ? null : quantile(latencies, 0.5),
    latencyP95Ms: latencies.length === 0 ? null : quantile(latencies, 0.95),
    flakyCases: findFlaky(sorted).length,
  };
}
