/** Entry point of precheck. */
export type { TeamWork } from "./overlap.ts";
export { ownWork } from "./own-work.ts";
export { precheck } from "./precheck.ts";
export { type PrecheckReport, reportText } from "./report.ts";
export type { TeamDecision } from "./stale.ts";
