export { type Finding, findingKey, lineTolerance, type ReportedFinding, type ReviewBatch } from "./finding.ts";
export { mergeBatches } from "./merge-batches.ts";
export { isBlocking, isDisputed, type ReviewOutcome, reviewOutcome } from "./review-outcome.ts";
