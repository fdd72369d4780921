/** The door of judges. */
export {
  type Alpha,
  type Calibration,
  type CalibrationMeasures,
  type Confusion,
  type CriterionAgreement,
  gatingAlpha,
  type JudgedItem,
  judgeAgreement,
  judgeCalibration,
} from "./agreement.ts";
export { type HumanLabel, type LabelFile, labelFile, outputShaOf } from "./human-labels.ts";
export {
  createJudge,
  type Judge,
  type JudgedExpectation,
  type JudgeExchange,
  type JudgeOptions,
  type JudgeVote,
} from "./judge.ts";
export { clearJudgeCache, type JudgeCache, type JudgeCacheStats, judgeCache, judgeCacheStats } from "./judge-cache.ts";
export { defaultProfiles, type JudgeProfile, type JudgeProfiles, parseJudgeProfiles } from "./judge-profile.ts";
export {
  type JudgedOutput,
  type JudgeReport,
  judgedOutputs,
  judgeReport,
  type PeopleAgreement,
  reportOnOutputs,
} from "./judge-report.ts";
export type { ProviderTarget } from "./providers.ts";
