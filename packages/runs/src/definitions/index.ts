export { templateFaults } from "./check-template.ts";
export { createDefinitionStore, type DefinitionStore } from "./definition-store.ts";
export { definitionsInvalid } from "./definitions-invalid.ts";
export { loadHomeSchemas } from "./home-schemas.ts";
export { knownDefinitions, ownSchemaIds } from "./known-definitions.ts";
export { type OwnBackend, readBackends } from "./read-backends.ts";
export { shownFaults } from "./read-definition.ts";
export {
  type Definition,
  type FileVerdict,
  loadFailed,
  type Refusal,
  readDefinitions,
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
export { validateSchemaFile } from "./validate-schema-file.ts";
