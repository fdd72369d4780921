export { definitionsInvalid } from "./definitions-invalid.ts";
export { loadHomeSchemas } from "./home-schemas.ts";
export { knownDefinitions, ownSchemaIds } from "./known-definitions.ts";
export { shownFaults } from "./read-definition.ts";
export {
  type Definition,
  type FileVerdict,
  loadDefinitions,
  validatePersonaFile,
  validateTemplateFile,
} from "./registry.ts";
export {
  listRepositoryDefinitions,
  loadRepositoryDefinitions,
  type RepositoryDefinitions,
  type RepositoryFile,
} from "./repository-definitions.ts";
export { documentsOf, type SchemaFile } from "./schema-file.ts";
export { type SeedResult, seedDefinitions } from "./seed-definitions.ts";
export { validateSchemaFile } from "./validate-schema-file.ts";
