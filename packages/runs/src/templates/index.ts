export { gateFault, laneGates } from "./gate-keys.ts";
export { knownPlaceholders, parsePlaceholder, placeholderPattern, placeholdersIn } from "./placeholders.ts";
export * from "./template.ts";
