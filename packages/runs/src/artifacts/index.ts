export * from "./artifact-paths.ts";
export { describeSchema } from "./describe-schema.ts";
export * from "./read-artifact.ts";
export * from "./schema-registry.ts";
export { setAside } from "./set-aside.ts";
export { type ArtifactSignature, isStale, signatureIn, signatureOf } from "./signature.ts";
export * from "./wait-for-artifact.ts";
