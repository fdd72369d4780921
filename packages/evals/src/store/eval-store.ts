/**
 * What the store of eval runs does; `open-store.ts` does it.
 *
 * - `EvalStore` `push` stores a run once; `list`, `run`, `results`, `result`, `history`, `resultsFor` read; `feed` sends a run to
 *   a sink; `remove` and `prune` delete; `setAside` tells which files cannot be read.
 */
import type { CommitNote, EvalResult, ImportedRun } from "../results/result.ts";
import type { HistoryPoint, HistoryQuery, ResultQuery, RunFilter, RunModelCost, RunPage } from "./index-queries.ts";
import type { PackedRows } from "./packed-rows.ts";
import type { PageRow } from "./page-row.ts";
import type { RunLine, RunRecord } from "./run-record.ts";
import type { ResultSink } from "./sink.ts";

export interface PushOutcome {
  /** False: this run was already stored. */
  readonly isNew: boolean;
  readonly line: RunLine;
  readonly record: RunRecord;
}

export interface PushOptions {
  /** Replace a stored run that has the same id and different content. */
  readonly replace?: boolean;
  /** The run's commit and those before it. */
  readonly commits?: readonly CommitNote[];
  /** The file's name, for messages. */
  readonly name?: string;
  /** Nothing is stored after it. */
  readonly signal?: AbortSignal;
}

export interface ResultPage {
  readonly rows: readonly PageRow[];
  readonly matching: number;
  readonly page: number;
  readonly pageSize: number;
}

export interface StoredRun {
  readonly line: RunLine;
  readonly record: RunRecord;
}

export interface RunRows extends StoredRun {
  readonly rows: PackedRows;
  /** The complete results at these places. */
  readonly read: (ordinals: readonly number[]) => readonly EvalResult[];
}

export interface EvalStore {
  push(imported: ImportedRun, options?: PushOptions): Promise<PushOutcome>;
  list(filter?: RunFilter): RunPage;
  /** A run id, its first characters, or `suite/id`. */
  run(id: string): Promise<StoredRun>;
  results(id: string, query?: ResultQuery): Promise<ResultPage>;
  result(id: string, ordinal: number): Promise<EvalResult>;
  /** Complete results, block by block, for export and rejudging. */
  allResults(id: string): AsyncIterable<readonly EvalResult[]>;
  superseded(id: string): AsyncIterable<readonly EvalResult[]>;
  history(query: HistoryQuery): readonly HistoryPoint[];
  /** Rows without texts, for compare. Runs that turn out to be unreadable are set aside and left out. */
  resultsFor(ids: readonly string[]): Promise<RunRows[]>;
  feed(id: string, sink: ResultSink): Promise<{ readonly chunks: number }>;
  remove(id: string): Promise<RunLine>;
  prune(rule: PruneRule): Promise<readonly RunLine[]>;
  /** The cost of every matching run by model. */
  modelCosts(filter?: RunFilter): readonly RunModelCost[];
  /** The commits that the stored runs know of. */
  commits(): readonly CommitNote[];
  /** The files that cannot be read, and why. */
  setAside(): readonly SetAsideRun[];
  close(): void;
}

export interface SetAsideRun {
  /** Its name in `~/.devflow/evals/runs`. */
  readonly file: string;
  readonly reason: string;
}

export interface PruneRule {
  /** ISO: runs before it are deleted. */
  readonly before: string;
  /** This many of the newest runs per suite and tier are kept regardless of age. */
  readonly keep: number;
  readonly dryRun?: boolean;
}
