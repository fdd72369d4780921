/** Entry point of records. */
export { recordsOfFile } from "./file-records.ts";
export { type FilePayload, filePayloads } from "./payloads.ts";
export { type TranscriptRecords, transcriptRecords } from "./transcript-records.ts";
