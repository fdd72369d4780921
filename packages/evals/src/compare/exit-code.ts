/**
 * What a comparison means for the exit code.
 *
 * - `exitCodeOf(report, failOn, gates)` 0: no regression; 1: regression (cost, latency and errors only if requested); 2: refused; 3:
 *   not enough data (only if requested), or something that was requested could not be compared.
 * - `openGates(report, failOn, gates)` what was requested and could not be compared, and why.
 */
import type { CompareReport, SuiteReport } from "./compare-report.ts";

export const failOnChoices = ["regression", "no-data", "cost", "latency", "errors"] as const;
export type FailOn = (typeof failOnChoices)[number];

export function exitCodeOf(
  report: CompareReport,
  failOn: readonly FailOn[] = ["regression"],
  gates: readonly string[] = [],
): 0 | 1 | 2 | 3 {
  if (report.verdict === "regression") return 1;
  const overrun = new Set(
    report.suites.flatMap(({ budgets }) =>
      budgets.filter(({ gates: isGate, verdict }) => isGate && verdict === "regression").map(({ measure }) => measure),
    ),
  );
  if (failOn.includes("cost") && overrun.has("cost")) return 1;
  if (failOn.includes("latency") && (overrun.has("latency") || overrun.has("latency p95"))) return 1;
  if (failOn.includes("errors") && report.suites.some(hasMoreErrors)) return 1;
  if (report.suites.some(({ refused }) => refused !== null)) return 2;
  if (openGates(report, failOn, gates).length > 0) return 3;
  const lacksData = !report.isCompared || report.suites.some(({ verdict }) => verdict === "not enough data");
  return failOn.includes("no-data") && lacksData ? 3 : 0;
}

const hasMoreErrors = ({ errors }: SuiteReport): boolean => errors.isFinding && errors.difference > 0;

/** A gate that cannot be evaluated must not look like one that was passed. */
export function openGates(report: CompareReport, failOn: readonly FailOn[], gates: readonly string[]): string[] {
  const compared = report.suites.filter(({ pairs }) => pairs.compared > 0);
  if (compared.length === 0) return [];
  const budgets = (["cost", "latency"] as const).filter((measure) => failOn.includes(measure));
  return [
    ...budgets.flatMap((measure) => {
      const found = compared.flatMap((suite) => suite.budgets.filter((one) => one.measure === measure));
      if (found.some((one) => one.gates)) return [];
      const why = found[0]?.notGatingBecause ?? "not recorded on both sides";
      return [`--fail-on ${measure}: ${measure} could not be compared (${why}).`];
    }),
    ...gates.flatMap((criterion) => {
      const found = compared.flatMap((suite) => suite.criteria.filter((one) => one.criterion === criterion));
      if (found.some((one) => one.gates)) return [];
      const why = found[0]?.notGatingBecause ?? "no case has such a score on both sides";
      return [`--gate ${criterion}: ${criterion} could not be compared (${why}).`];
    }),
  ];
}
