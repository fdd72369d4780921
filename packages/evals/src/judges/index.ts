/** Entry point of judges. */
export type { CriterionAgreement } from "./agreement.ts";
export { type HumanLabel, type LabelFile, labelFile, outputShaOf } from "./human-labels.ts";
export { createJudge, type Judge, type JudgedExpectation, type JudgeExchange } from "./judge.ts";
export { clearJudgeCache, judgeCache, judgeCacheStats } from "./judge-cache.ts";
export { defaultProfiles, type JudgeProfile, type JudgeProfiles, parseJudgeProfiles } from "./judge-profile.ts";
export { judgeProvider } from "./judge-provider.ts";
export {
  type JudgedOutput,
  type JudgeReport,
  judgedOutputs,
  judgeReport,
  type PeopleAgreement,
  reportOnOutputs,
} from "./judge-report.ts";
export type { ProviderTarget } from "./providers.ts";
