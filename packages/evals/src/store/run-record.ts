/** A run as it is kept: what was imported, when, and what it comes to. */
import type { StoredEvalRun } from "@devflow/protocol";
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
export type RunLine = Readonly<StoredEvalRun>;
