/**
 * Sanitizes values for jsonb, which rejects U+0000 and lone surrogates: postgres.js passes every json and jsonb parameter
 * through here, even if a caller forgot. A caller that wants the row to record it sanitizes first and passes the result:
 * `withClaims(claims, fn, { sanitised: changed })`.
 */
import { safeJson } from "@devflow/redact";

export const jsonbType = {
  to: 3802,
  from: [114, 3802],
  serialize: (value: unknown): string => JSON.stringify(safeJson(value).value),
  parse: (text: string): unknown => JSON.parse(text),
};
