export * from "./commands/index.ts";
export { agentEnvironment, environmentSecrets } from "./environment/index.ts";
export { findingKey, mergeBatches } from "./review/index.ts";
export * from "./worktree/index.ts";
