/** The door of the store: for commands that only read stored runs, and start fast by it. */
export type { HistoryPoint, HistoryQuery, ResultQuery, RunFilter, RunPage } from "./index-queries.ts";
export { type ResultFilter, type ResultSort, resultSorts } from "./index-queries.ts";
export {
  type EvalStore,
  openStore,
  type PruneRule,
  type PushOptions,
  type PushOutcome,
  type ResultPage,
  type RunRows,
  type StoredRun,
  type StoreOptions,
} from "./open-store.ts";
export type { PageRow } from "./page-row.ts";
export type { ResultRow } from "./result-row.ts";
export { meanScore, type ResultCost, usdOf } from "./result-row.ts";
export type { RunLine, RunRecord } from "./run-record.ts";
export type { CriterionSummary, FailureCluster, RunSummary } from "./run-summary.ts";
export type { ResultSink, SinkRecord } from "./sink.ts";
export { maxSinkBytes } from "./sink.ts";
