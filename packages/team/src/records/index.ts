/** Entry point of records. */
export { recordsOfFile } from "./file-records.ts";
export type { FilePayload } from "./payloads.ts";
export { transcriptRecords } from "./transcript-records.ts";
