export { shownFaults } from "./read-definition.ts";
export {
  type Definition,
  type FileVerdict,
  loadDefinitions,
  validatePersonaFile,
  validateTemplateFile,
} from "./registry.ts";
export { type SeedResult, seedDefinitions } from "./seed-definitions.ts";
