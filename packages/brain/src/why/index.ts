/** Entry point of why. */
export { type BlamedLine, blameLine, earlierNames, fileHistory, type LineCommit, lineHistory } from "./blame-line.ts";
export { type FoundSymbol, findSymbol } from "./find-symbol.ts";
export { parseTarget } from "./parse-target.ts";
