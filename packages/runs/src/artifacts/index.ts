export * from "./artifact-paths.ts";
export { describeSchema } from "./describe-schema.ts";
export { type ArtifactReading, readArtifact } from "./read-artifact.ts";
export { readWithoutSecrets } from "./read-without-secrets.ts";
export {
  isKnownSchema,
  type JsonSchema,
  loadSchema,
  type SchemaRegistry,
  schemaIds,
  schemasWith,
  validateArtifact,
} from "./schema-registry.ts";
export { schemaWarnings } from "./schema-warnings.ts";
export { clearPlace } from "./set-aside.ts";
