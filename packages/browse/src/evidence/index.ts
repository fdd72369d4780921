/** Entry point of evidence: its commands, and QA reports. */
export { type Bundle, listBundles, readBundle } from "./bundle.ts";
export { wordsOf } from "./command-words.ts";
export {
  listEvidence,
  recorder,
  startBundle,
  startEvidence,
  stopBundle,
  stopEvidence,
} from "./evidence-commands.ts";
export { outcomeOf } from "./outcome.ts";
export { Finding, makeReport, observe, type QaReport, readBaseline, writeReport } from "./qa/index.ts";
export type { Deed } from "./recorder.ts";
export { cleanText } from "./seal-input.ts";
export { verifyEvidence } from "./verify-command.ts";
