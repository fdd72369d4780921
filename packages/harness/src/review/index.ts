export { findingKey } from "./finding.ts";
export { mergeBatches } from "./merge-batches.ts";
export { reviewOutcome } from "./review-outcome.ts";
