/** A stored run: what was imported, when, and its summary. */
import type { EvalRun, EvalTotals } from "../results/result.ts";
import type { RunSummary } from "./run-summary.ts";

export interface RunRecord {
  readonly format: 1;
  /** Its totals are recounted from the results. */
  readonly run: EvalRun;
  readonly pushedAt: string;
  /** Null if the importer had no bytes to hash. */
  readonly contentSha: string | null;
  readonly summary: RunSummary;
  readonly superseded: number;
  readonly losses: readonly string[];
  readonly warnings: readonly string[];
}

/** A run as it appears in lists. */
export interface RunLine extends EvalTotals, Omit<EvalRun, "tier" | "judges" | "totals" | "costs" | "extra"> {
  readonly tier: string;
  /** One key for judges, rubrics and thresholds together; runs with equal keys are comparable. */
  readonly judgeKey: string;
  /** 1-based attempt number among runs of the same suite, label, tier and commit. */
  readonly attempt: number;
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
}
