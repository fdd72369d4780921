export { type DefinitionFault, shownFaults } from "./read-definition.ts";
export {
  type Definition,
  type Definitions,
  type FileVerdict,
  loadDefinitions,
  shippedDefinitions,
  validatePersonaFile,
  validateTemplateFile,
} from "./registry.ts";
export { type SeedOptions, type SeedResult, seedDefinitions } from "./seed-definitions.ts";
