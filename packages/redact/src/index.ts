export { type Redacted, type RedactOptions, redactSecrets } from "./redact-secrets.ts";
export { type SafeJsonOptions, safeJson } from "./safe-json.ts";
export { type Safe, safeText } from "./safe-text.ts";
export type { SecretFinding } from "./secret-finding.ts";
