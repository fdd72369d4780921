export * from "./commands/index.ts";
export { findingKey, mergeBatches } from "./review/index.ts";
export * from "./worktree/index.ts";
