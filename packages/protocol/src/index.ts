export * from "./auth.ts";
export * from "./changes.ts";
export * from "./failure.ts";
export * from "./server-state.ts";
export * from "./status.ts";
