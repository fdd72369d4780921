export { gateFault, gateKeys, isAutomaticGate } from "./gate-keys.ts";
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
export {
  findingLine,
  type PromptFinding,
  type RenderInput,
  renderInstructions,
} from "./render-instructions.ts";
export { type SeedOptions, type SeedResult, seedDefinitions } from "./seed-definitions.ts";
export * from "./template.ts";
