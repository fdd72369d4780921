export { redactJson, redactJsonText } from "./redact-json.ts";
export { redactPieces } from "./redact-pieces.ts";
export { redactSecrets } from "./redact-secrets.ts";
export { endsWithin, redactStream } from "./redact-stream.ts";
export { safeJson } from "./safe-json.ts";
export { safeText } from "./safe-text.ts";
