/** The door of the store: for commands that only read stored runs, and start fast by it. */
export type { HistoryPoint, HistoryQuery, ResultQuery, RunFilter, RunPage } from "./store/index-queries.ts";
export { type EvalStore, openStore, type PushOutcome, type RunRows, type StoredRun } from "./store/open-store.ts";
export type { PageRow } from "./store/page-row.ts";
export type { ResultRow } from "./store/result-row.ts";
export type { RunLine, RunRecord } from "./store/run-record.ts";
export type { RunSummary } from "./store/run-summary.ts";
export type { ResultSink, SinkRecord } from "./store/sink.ts";
