/**
 * The edge to jsonb, which refuses U+0000 and lone surrogates: postgres.js passes every json and jsonb parameter
 * through here, whoever forgot to. A caller that wants the row to record it sanitises by itself and says so:
 * `withClaims(claims, fn, { sanitised: changed })`.
 */
import { safeJson } from "@devflow/redact";

export const jsonbType = {
  to: 3802,
  from: [114, 3802],
  serialize: (value: unknown): string => JSON.stringify(safeJson(value).value),
  parse: (text: string): unknown => JSON.parse(text),
};
