/** Entry point of retro. */
export { type RetroReport, retroOf, retroPayload } from "./retro.ts";
export { versionAt, versionTags } from "./version-range.ts";
