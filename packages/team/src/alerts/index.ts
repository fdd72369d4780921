/** Entry point of alerts. */
export { createAlertWork } from "./alert-work.ts";
export type { EvalJudge, StoredRun } from "./eval-judge.ts";
