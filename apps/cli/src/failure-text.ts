/**
 * The text of an error, for every path of the command line.
 *
 * - `failureText(report, json)` message and hint for people; with `--json` an object for programs. The message may quote
 *   untrusted text, so it is sanitized.
 */
import type { ErrorReport } from "@devflow/core/error-report";
import { plainText } from "@devflow/core/plain-text";

export function failureText({ code, message, hint, details }: ErrorReport, json: boolean): string {
  if (json) return JSON.stringify({ error: { code, message, hint, details } });
  return plainText([message, hint].filter(Boolean).join("\n"));
}
