export { redactSecrets } from "./redact-secrets.ts";
export { safeJson } from "./safe-json.ts";
export { safeText } from "./safe-text.ts";
