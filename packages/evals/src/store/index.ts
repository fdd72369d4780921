/** The door of the store: for commands that only read stored runs, and start fast by it. */
export type { HistoryPoint, HistoryQuery, ResultQuery, RunFilter, RunPage } from "./index-queries.ts";
export { type EvalStore, openStore, type PushOutcome, type RunRows, type StoredRun } from "./open-store.ts";
export type { PageRow } from "./page-row.ts";
export { meanScore, type ResultRow } from "./result-row.ts";
export type { RunLine, RunRecord } from "./run-record.ts";
export type { RunSummary } from "./run-summary.ts";
export type { ResultSink, SinkRecord } from "./sink.ts";
