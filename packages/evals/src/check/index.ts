/** Entry point of check: checks outputs against suites. */
export type { JudgeSettings } from "./case-runner.ts";
export {
  type CheckedSuite,
  type CheckProgress,
  type CheckSuiteOptions,
  checkSuite,
  type OutputSource,
  type RunFacts,
} from "./check-suite.ts";
export { rejudgeRun } from "./rejudge-run.ts";
export type { FailureRecord, ResultRecord, RunRecord } from "./result-record.ts";
export { runCheckWorker } from "./worker.ts";
