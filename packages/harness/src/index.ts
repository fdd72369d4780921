export * from "./commands/index.ts";
export * from "./environment/index.ts";
export { findingKey, mergeBatches } from "./review/index.ts";
export * from "./worktree/index.ts";
