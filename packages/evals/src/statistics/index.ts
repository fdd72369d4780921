/** Entry point of statistics: the tests, intervals and measures that comparisons and judges use. */
export { benjaminiHochberg, holm } from "./adjust.ts";
export { agreeAtZero } from "./agree-at-zero.ts";
export { type ChangePoint, type CountPoint, changePoint, stableSegment, total } from "./change-point.ts";
export { differenceSequence } from "./difference-sequence.ts";
export { fisherExact } from "./hypergeometric.ts";
export { krippendorffAlpha, leastGatingAlpha } from "./krippendorff.ts";
export { mantelHaenszel } from "./mantel-haenszel.ts";
export { z95 } from "./normal.ts";
export { pairedEvidence } from "./paired-evidence.ts";
export type { Interval, PassCounts } from "./pass-counts.ts";
export { runsNeeded, smallestVisibleDrop } from "./power.ts";
export { cohenKappa, gwetAc1, labelsSuffice, reweightByVerdict } from "./rater-agreement.ts";
export {
  caseCount,
  isSingle,
  mapScores,
  meanOf,
  meanOfMeans,
  type ScoreCase,
  type ScoreCases,
  sideValues,
} from "./score-cases.ts";
export { scoreTest } from "./score-test.ts";
export { stratifiedTest } from "./stratified-test.ts";
export { studentQuantile } from "./student.ts";
export { tangoInterval } from "./tango.ts";
export { wilsonInterval } from "./wilson.ts";
