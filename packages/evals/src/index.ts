/** The door of evals; see README.md. */
export {
  type Baseline,
  type BaselineCase,
  type BaselineCell,
  type BaselineTier,
  baselineOf,
  parseBaseline,
  renderBaseline,
} from "./baselines/baseline.ts";
export { type BaselineChange, type BaselineChanges, baselineChanges } from "./baselines/baseline-changes.ts";
export { type BaselineChoice, baselineFor, bless } from "./baselines/bless.ts";
export { type CacheKey, cacheKeyOf, type KeyParts, type KeySources } from "./cache/cache-key.ts";
export { clearBeforeRun } from "./cache/clear-before-run.ts";
export {
  type CacheFault,
  type CacheOptions,
  type CacheWrite,
  type EvalCache,
  openCache,
  type SuiteStats,
  type WhyAnswer,
} from "./cache/eval-cache.ts";
export { type CostView, costDashboard, costWords, dollars } from "./costs/cost-dashboard.ts";
export { costPage } from "./costs/cost-page.ts";
export { CostTally, type ModelCost, noCost, type RunCost } from "./costs/run-costs.ts";
export { costAtTier, costTiers, type TierCost } from "./costs/tier-costs.ts";
export { type ModelTier, modelTiers, tierLadders, tierOf, usualModels } from "./model-tiers.ts";
export * from "./partials/index.ts";
export type { Fault } from "./results/faults.ts";
export { resultFileSchema } from "./results/format.ts";
export { autoLabel, caseKey, ciVariables, deriveRunId, type RunOrigin, suiteOfPath } from "./results/identity.ts";
export { inputShaOf } from "./results/normalise.ts";
export { type ReadOptions, type ReadRun, type RunDefaults, readResults } from "./results/read-results.ts";
export * from "./results/result.ts";
export type { ImportInput } from "./results/source.ts";
export { toFileResult, toFileRun } from "./results/write-results.ts";
export type {
  CriterionSummary,
  FailureCluster,
  PageRow,
  ResultCost,
  ResultRow,
  RunLine,
  RunRecord,
  RunSummary,
} from "./store/index.ts";
export {
  type EvalStore,
  type HistoryPoint,
  type HistoryQuery,
  maxSinkBytes,
  openStore,
  type PruneRule,
  type PushOptions,
  type PushOutcome,
  type ResultFilter,
  type ResultPage,
  type ResultQuery,
  type ResultSink,
  type ResultSort,
  type RunFilter,
  type RunPage,
  resultSorts,
  type SinkRecord,
  type StoredRun,
  type StoreOptions,
} from "./store/index.ts";
