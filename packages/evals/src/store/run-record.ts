/** A run as it is kept: what was imported, when, and what it comes to. */
import type { EvalRun } from "../results/result.ts";
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
export interface RunLine {
  readonly runId: string;
  readonly suite: string;
  readonly label: string;
  readonly tier: string;
  readonly at: string;
  readonly gitSha: string | null;
  readonly gitBranch: string | null;
  readonly promptSha: string | null;
  readonly model: string | null;
  readonly host: string | null;
  /** Judges, rubrics and thresholds as one word; equal words may be compared. */
  readonly judgeKey: string;
  /** 1-based: the how-manieth run of its suite, label, tier and commit. */
  readonly attempt: number;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
  readonly durationMs: number | null;
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
  readonly source: string;
}
