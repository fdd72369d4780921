/**
 * - `exitCodeOf(report, failOn)` 0: no regression; 1: regression (cost and latency only if requested); 2: refused; 3: not
 *   enough data (only if requested).
 */
import type { CompareReport } from "./compare-report.ts";

export const failOnChoices = ["regression", "no-data", "cost", "latency"] as const;
export type FailOn = (typeof failOnChoices)[number];

export function exitCodeOf(report: CompareReport, failOn: readonly FailOn[] = ["regression"]): 0 | 1 | 2 | 3 {
  if (report.verdict === "regression") return 1;
  const overrun = new Set(
    report.suites.flatMap(({ budgets }) =>
      budgets.filter(({ gates, verdict }) => gates && verdict === "regression").map(({ measure }) => measure),
    ),
  );
  if (failOn.includes("cost") && overrun.has("cost")) return 1;
  if (failOn.includes("latency") && (overrun.has("latency") || overrun.has("latency p95"))) return 1;
  if (report.suites.some(({ refused }) => refused !== null)) return 2;
  const lacksData = !report.isCompared || report.suites.some(({ verdict }) => verdict === "not enough data");
  return failOn.includes("no-data") && lacksData ? 3 : 0;
}
