/** A run as it is kept: what was imported, when, and what it comes to. */
import type { EvalRun, EvalTotals } from "../results/result.ts";
import type { RunSummary } from "./run-summary.ts";

export interface RunRecord {
  readonly format: 1;
  /** Its totals are recounted from the results. */
  readonly run: EvalRun;
  readonly pushedAt: string;
  /** Null when the importer had no bytes to hash. */
  readonly contentSha: string | null;
  readonly summary: RunSummary;
  readonly superseded: number;
  readonly losses: readonly string[];
  readonly warnings: readonly string[];
}

/** One line of a list. */
export interface RunLine extends EvalTotals, Omit<EvalRun, "tier" | "judges" | "totals" | "costs" | "extra"> {
  readonly tier: string;
  /** Judges, rubrics and thresholds as one word; equal words may be compared. */
  readonly judgeKey: string;
  /** Attempt number among runs of the same suite, label, tier and commit, from 1. */
  readonly attempt: number;
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
}
