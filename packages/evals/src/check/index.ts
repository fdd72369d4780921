/** Entry point of check: checks outputs against suites. */
export { asCaseOutput, type CaseOutput, isMembers } from "./case-output.ts";
export { type JudgeSettings, judgeFrom } from "./case-runner.ts";
export { brokenCheck, checkCase, failedResult } from "./check-case.ts";
export {
  type CheckedSuite,
  type CheckProgress,
  type CheckSuiteOptions,
  checkSuite,
  type OutputSource,
  type RunFacts,
} from "./check-suite.ts";
export {
  type PartialAsked,
  type PartialFacts,
  partialFile,
  removePartialsOf,
} from "./partial-file.ts";
export { rejudgeRun } from "./rejudge-run.ts";
export type { FailureRecord, ResultRecord, RunRecord, UsageRecord } from "./result-record.ts";
export { runRecord } from "./run-record.ts";
export { verboseLog } from "./verbose-log.ts";
export { runCheckWorker } from "./worker.ts";
