/** Entry point of records. */
export { draftOf } from "./draft-of.ts";
export { recordsOfFile } from "./file-records.ts";
export { type FilePayload, filePayloads } from "./payloads.ts";
export { transcriptRecords } from "./transcript-records.ts";
