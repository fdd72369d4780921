/** Entry point of migrate. */
export { findOldFiles, type OldFile } from "./old-files.ts";
export { type OldContent, readOldFile, standardEvalFile } from "./read-old-file.ts";
