/** Entry point of records. */
export { draftOf } from "./draft-of.ts";
export { recordsOfFile } from "./file-records.ts";
export { type FilePayload, filePayloads } from "./payloads.ts";
export { FileMark, readNewLines } from "./read-new-lines.ts";
export { type TranscriptRecords, transcriptRecords } from "./transcript-records.ts";
