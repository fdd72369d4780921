/** Entry point of spool. */
export type { Destination, RecordDraft, RecordKind, SpooledRecord } from "./record.ts";
export { makeFolders, type SpoolOutcome, spool } from "./spool.ts";
export { readFileName, reasonFile, type SpoolFolder, spoolFolder } from "./spool-folder.ts";
