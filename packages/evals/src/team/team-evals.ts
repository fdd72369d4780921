/**
 * What evals need from a team. The team system implements these interfaces, and the command line passes them in. Without a
 * team, commands report that there is none.
 *
 * - `sink` gets every run that is pushed.
 * - `cache` the runs that teammates pushed, as of the last pull; read without a network.
 */
import type { EvalResult, EvalRun } from "../results/result.ts";
import type { ResultSink } from "../store/index.ts";

export interface EvalTeam {
  readonly name: string;
  readonly sink: ResultSink;
  readonly cache: TeamEvalCache;
}

export interface TeamEvalCache {
  /** Time of the last pull, ISO; null if never pulled. */
  readonly pulledAt: string | null;
  runs(query: TeamRunQuery): Promise<readonly TeamEvalRun[]>;
  results(run: TeamEvalRun): Promise<readonly EvalResult[]>;
}

export interface TeamRunQuery {
  readonly suite?: string;
  /** ISO; only runs since then. */
  readonly since?: string;
}

export interface TeamEvalRun {
  readonly run: EvalRun;
  /** Who pushed it, as every list of records shows it. */
  readonly pushedBy: string | null;
  /** For rankings: null if the person did not agree to be named in them. */
  readonly person: string | null;
  readonly usd: number | null;
}
