export { safeJson } from "./safe-json.ts";
export { type Safe, safeText } from "./safe-text.ts";
