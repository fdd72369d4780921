/** Entry point of decisions. */
export { foldDecisions, type LocalDecision } from "./fold-decisions.ts";
export { type AdrFile, importAdrs, isAdrName } from "./import-adrs.ts";
export { searchDecisions } from "./search-decisions.ts";
