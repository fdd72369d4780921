export * from "./worktree/index.ts";
