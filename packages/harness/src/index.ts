export * from "./commands/index.ts";
export * from "./worktree/index.ts";
