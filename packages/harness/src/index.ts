export * from "./commands/index.ts";
export * from "./review/index.ts";
export * from "./worktree/index.ts";
