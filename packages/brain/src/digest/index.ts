/** Entry point of digest. */
export { type Author, applyRecord } from "./apply-record.ts";
export { contextForFiles } from "./context-for-files.ts";
export { digestWrittenMs, emptyDigest, readDigest, writeDigest } from "./digest-file.ts";
export { digestFor } from "./digest-for.ts";
