/**
 * What alerts need of the evals: who compares. The server's composition implements it with the evals' own `compare`.
 *
 * - `lineOf(runs, id)` one suite on one branch, from the runs of a team: how it stands now, and before; undefined when the run cannot be
 *   compared. Runs that are no eval runs are left out.
 * - `compare(sides)` the verdict on it.
 */
import type { EvalVerdict, RunResults } from "@devflow/protocol";

/** The payload comes from a teammate's machine. */
export interface StoredRun {
  readonly id: string;
  /** When it ran, by the server's clock. */
  readonly at: string;
  readonly payload: unknown;
}

export interface LineOfRuns {
  /** Names suite, tier, judge, variant and branch together. */
  readonly key: string;
  /** The newest run, which may be another one than the run that was asked about. */
  readonly newest: string;
  readonly suite: string;
  readonly tier: string;
  readonly branch: string | null;
  readonly variant: string | null;
  readonly sha: string | null;
  readonly commit: { readonly author: string | null; readonly subject: string | null } | null;
  /** Ids of the runs of the newest state, of the state before, and of those before that, nearest first. */
  readonly now: readonly string[];
  readonly before: readonly string[];
  readonly earlier: readonly (readonly string[])[];
}

export interface RunWithResults {
  readonly run: StoredRun;
  readonly results: RunResults["results"];
}

export interface LineVerdict {
  readonly verdict: EvalVerdict;
  readonly reason: string;
  /** Shares from 0 to 1. */
  readonly rateBefore: number | null;
  readonly rateNow: number | null;
  readonly broken: readonly { readonly name: string; readonly passes: number; readonly results: number }[];
}

export interface EvalJudge {
  lineOf(runs: readonly StoredRun[], id: string): LineOfRuns | undefined;
  compare(sides: {
    readonly before: readonly RunWithResults[];
    readonly now: readonly RunWithResults[];
    readonly earlier: readonly (readonly RunWithResults[])[];
  }): LineVerdict;
}
