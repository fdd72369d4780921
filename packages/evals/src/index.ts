/** Entry point of evals; see README.md. */
export { type Baseline, parseBaseline, renderBaseline } from "./baselines/baseline.ts";
export { baselineChanges } from "./baselines/baseline-changes.ts";
export { baselineFor, bless } from "./baselines/bless.ts";
export { type CacheKey, cacheKeyOf } from "./cache/cache-key.ts";
export { clearBeforeRun } from "./cache/clear-before-run.ts";
export { type EvalCache, openCache } from "./cache/eval-cache.ts";
export { costDashboard, dollars } from "./costs/cost-dashboard.ts";
export { costPage } from "./costs/cost-page.ts";
export { CostTally, type RunCost } from "./costs/run-costs.ts";
export { costAtTier } from "./costs/tier-costs.ts";
export { type ModelTier, modelTiers, tierOf } from "./model-tiers.ts";
export { mergePartials, readPartials, removePartials, runsOf } from "./partials/index.ts";
export { resultFileSchema } from "./results/format.ts";
export { autoLabel, caseKey, ciVariables, isInFuture } from "./results/identity.ts";
export { readResults } from "./results/read-results.ts";
export type * from "./results/result.ts";
export { blankResult } from "./results/result.ts";
export type { ResultPage, RunSummary } from "./store/index.ts";
