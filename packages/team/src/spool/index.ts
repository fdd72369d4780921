/** Entry point of spool. */
export { type Destination, type RecordDraft, type RecordKind, recordKinds, type SpooledRecord } from "./record.ts";
export { makeFolders, maxRecordBytes, type SpoolFailure, type SpoolOutcome, spool } from "./spool.ts";
export { readFileName, reasonFile, type SpoolFolder, spoolFolder } from "./spool-folder.ts";
