/** The local store of eval runs; see `open-store.ts`. */
export {
  type HistoryPoint,
  type HistoryQuery,
  type ResultFilter,
  type ResultQuery,
  type ResultSort,
  type RunFilter,
  type RunPage,
  resultSorts,
} from "./index-queries.ts";
export {
  type EvalStore,
  openStore,
  type PruneRule,
  type PushOptions,
  type PushOutcome,
  type ResultPage,
  type StoredRun,
  type StoreOptions,
} from "./open-store.ts";
export type { PageRow } from "./page-row.ts";
export type { ResultCost, ResultRow } from "./result-row.ts";
export type { RunLine, RunRecord } from "./run-record.ts";
export type { CriterionSummary, FailureCluster, RunSummary } from "./run-summary.ts";
export { maxSinkBytes, type ResultSink, type SinkRecord } from "./sink.ts";
