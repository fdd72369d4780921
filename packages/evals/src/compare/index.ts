/** Entry point of compare: compares runs, finds the commits behind changes, and renders the result. */
export * from "./blame.ts";
export type { CompareOptions } from "./compare-options.ts";
export type * from "./compare-report.ts";
export { compareRuns } from "./compare-runs.ts";
export { exitCodeOf, type FailOn, failOnChoices } from "./exit-code.ts";
export * from "./flaky.ts";
export { predecessorOf, stateOf } from "./predecessor.ts";
export type { Quarantine } from "./quarantine.ts";
export * from "./quarantine-file.ts";
export { suiteTitle } from "./reason.ts";
export { compareCommentMarker, renderCompareMarkdown } from "./render-compare-markdown.ts";
export { renderCompareText } from "./render-compare-text.ts";
export * from "./select-sides.ts";
export type { ComparedResult, ComparedRun } from "./side.ts";
export { runName, storedRows, suiteTierKey } from "./stored-runs.ts";
export * from "./summary.ts";
export * from "./trend.ts";
export * from "./word-diff.ts";
