/** Entry point of the store; separate so that commands that only read stored runs start fast. */
export type { CommitNote } from "../results/result.ts";
export type { EvalStore, PushOutcome, ResultPage, SetAsideRun, StoredRun } from "./eval-store.ts";
export type { HistoryPoint, RunFilter, RunModelCost, RunPage } from "./index-queries.ts";
export { openStore } from "./open-store.ts";
export type { PackedRows } from "./packed-rows.ts";
export type { PageRow } from "./page-row.ts";
export type { ResultCost, ResultRow } from "./result-row.ts";
export { meanScore, usdOf } from "./result-row.ts";
export { checkedRecord, type RunLine, type RunRecord } from "./run-record.ts";
export type { RunSummary } from "./run-summary.ts";
export type { ResultSink, SinkRecord } from "./sink.ts";
