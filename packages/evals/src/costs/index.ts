/** What runs cost; see `run-costs.ts`. */
export { type CostView, costDashboard, costWords, dollars } from "./cost-dashboard.ts";
export { costPage } from "./cost-page.ts";
export { CostTally, type ModelCost, noCost, type RunCost } from "./run-costs.ts";
export { type CostTier, costAtTier, costTiers, type TierCost, tierLadders } from "./tier-costs.ts";
