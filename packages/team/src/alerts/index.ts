/** Entry point of alerts. */
export { type AlertPart, alertPass, createAlertWork } from "./alert-work.ts";
export type { EvalJudge, StoredRun } from "./eval-judge.ts";
