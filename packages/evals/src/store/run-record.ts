/** A stored run: what was imported, when, and its summary. */
import type { StoredEvalRun } from "@devflow/protocol";
import type { EvalRun } from "../results/result.ts";
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
export type RunLine = Readonly<StoredEvalRun>;
