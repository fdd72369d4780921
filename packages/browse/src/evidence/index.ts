/** The door of evidence: its commands, and QA reports. */
export { type Bundle, evidenceFolder, listBundles, readBundle } from "./bundle.ts";
export { listEvidence, startEvidence, stopEvidence } from "./evidence-commands.ts";
export { verifyEvidence } from "./verify-command.ts";
