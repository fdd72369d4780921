export { BackendDefinition, personaOf } from "./backend-definition.ts";
export { findOwnAgents } from "./own-agents.ts";
export { readBackends } from "./read-backends.ts";
