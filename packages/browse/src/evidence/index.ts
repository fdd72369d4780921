/** The door of evidence: its commands, what the daemon calls while it runs, and QA reports. */
export { type Bundle, evidenceFolder, listBundles, readBundle } from "./bundle.ts";
export { listEvidence, startEvidence, stopEvidence } from "./evidence-commands.ts";
export { recorder } from "./recorder.ts";
export { verifyEvidence } from "./verify-command.ts";
