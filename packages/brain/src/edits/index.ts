/** Entry point of edits. */
export { fileHash } from "./blob-hash.ts";
export { changedSince } from "./changed-since.ts";
export { type LineRange, linesOfDiff, linesOfPatch, linesOfText } from "./edited-lines.ts";
export { loadState, saveState, takeState } from "./worktree-state.ts";
