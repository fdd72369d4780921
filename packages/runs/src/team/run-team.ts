/**
 * What runs need of a team whose server is elsewhere. The team system implements it, and the command line passes it in.
 *
 * - `share` takes the state of runs and gates; the same fact again is the same record.
 * - `verdicts` what teammates have decided about gates of these repositories and nobody has answered yet.
 * - `answer` tells them what became of it.
 */
import type { Verdict } from "@devflow/core/enums";

export interface RunTeam {
  /** The repositories among them whose team is elsewhere; the facts of the others are left out. */
  share(facts: readonly SharedFact[]): Promise<ReadonlySet<string>>;
  verdicts(repositories: ReadonlySet<string>): Promise<readonly TeamVerdict[]>;
  answer(verdict: TeamVerdict, outcome: VerdictOutcome): Promise<void>;
}

/** One state of a run or of a gate. The newest of a run is the one with the highest `rev`. */
export interface SharedFact {
  readonly kind: "run_progress" | "approval_request";
  /** The folder of the repository. */
  readonly repository: string;
  readonly payload: Readonly<Record<string, unknown>> & { readonly run_id: string; readonly rev: number };
}

export interface TeamVerdict {
  /** The record's id. */
  readonly id: string;
  readonly repository: string;
  readonly requestId: string;
  readonly action: Verdict;
  readonly comment: string | undefined;
  /** What the teammate saw: the gate's epoch, and the hash of the diff that it showed. */
  readonly epoch: number;
  readonly diffHash: string | null;
  readonly person: { readonly id: string; readonly name: string };
}

/** `stale`: the gate had been decided, or showed something else by then. `refused`: this person may not decide it. */
export const verdictOutcomes = ["applied", "stale", "refused"] as const;
export type VerdictOutcome = (typeof verdictOutcomes)[number];
