export * from "./artifact-paths.ts";
export { describeSchema } from "./describe-schema.ts";
export * from "./read-artifact.ts";
export * from "./schema-registry.ts";
export { clearPlace } from "./set-aside.ts";

export * from "./wait-for-artifact.ts";
