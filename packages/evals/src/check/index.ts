/** The door of check: suites over outputs. */
export type { JudgeSettings } from "./case-runner.ts";
export {
  type CheckedSuite,
  type CheckProgress,
  type CheckSuiteOptions,
  checkSuite,
  type OutputSource,
  type RunFacts,
} from "./check-suite.ts";
export type { OutputCommand } from "./command-outputs.ts";
export { type RejudgeOptions, rejudgeRun, type StoredOutputs } from "./rejudge-run.ts";
export type { FailureRecord, JudgeRecord, ResultRecord, RunRecord, UsageRecord } from "./result-record.ts";
export { runCheckWorker } from "./worker.ts";
