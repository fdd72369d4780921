/**
 * The doors of a team. Evals only declare them; the team system fills them, and whoever composes the command line
 * hands them in. Without a team there is none, and the user is told so.
 *
 * - `sink` takes every run that is pushed.
 * - `cache` what teammates pushed, as far as it was pulled: read without a network.
 */
import type { EvalResult, EvalRun } from "../results/result.ts";
import type { ResultSink } from "../store/index.ts";

export interface EvalTeam {
  readonly name: string;
  readonly sink: ResultSink;
  readonly cache: TeamEvalCache;
}

export interface TeamEvalCache {
  /** When it was last pulled; ISO, or null for never. */
  readonly pulledAt: string | null;
  runs(query: TeamRunQuery): Promise<readonly TeamEvalRun[]>;
  results(run: TeamEvalRun): Promise<readonly EvalResult[]>;
}

export interface TeamRunQuery {
  readonly suite?: string;
  /** ISO; runs from then on. */
  readonly since?: string;
}

export interface TeamEvalRun {
  readonly run: EvalRun;
  /** Null where the person did not agree to be named. */
  readonly person: string | null;
  readonly usd: number | null;
}
