export { BackendDefinition, personaOf } from "./backend-definition.ts";
export { findOwnAgents } from "./own-agents.ts";
export { type OwnBackend, type ReadBackends, readBackends } from "./read-backends.ts";
