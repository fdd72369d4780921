export { findOwnAgents } from "./agents/own-agents.ts";
export { findShippedAgents } from "./agents/shipped-agents.ts";
export { findOrphans } from "./care/orphans.ts";
export { packBranches, unpackBranches } from "./care/run-branches.ts";
export {
  type Definition,
  type FileVerdict,
  knownDefinitions,
  loadFailed,
  ownSchemaIds,
  type Refusal,
  readBackends,
  readDefinitions,
  shownFaults,
  validatePersonaFile,
  validateSchemaFile,
  validateTemplateFile,
} from "./definitions/index.ts";
export type * from "./engine/run-engine.ts";
export { openRuns, type Runs } from "./open-runs.ts";
export { personaView, templateView } from "./views/index.ts";
