/** The door of evals; see README.md. */
export * from "./baselines/index.ts";
export * from "./cache/index.ts";
export * from "./costs/index.ts";
export * from "./partials/index.ts";
export * from "./results/index.ts";
export * from "./store/index.ts";
