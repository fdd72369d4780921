/** Entry point of symbols. */
export { changedSymbols } from "./changed-symbols.ts";
export { hasSymbols, openSymbols, type SymbolAt, type Symbols } from "./read-symbols.ts";
