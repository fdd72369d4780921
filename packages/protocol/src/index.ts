export * from "./auth.ts";
export * from "./browse.ts";
export * from "./changes.ts";
export * from "./evals.ts";
export * from "./failure.ts";
export * from "./runs.ts";
export * from "./server-state.ts";
export * from "./status.ts";
