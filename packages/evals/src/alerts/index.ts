/** Entry point of alerts. */
export { judgeSuiteLine, suiteLineOf, type TeamStoreRun } from "./suite-line.ts";
