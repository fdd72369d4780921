/**
 * How a failure is printed, by every path of the command line.
 *
 * - `failureText(report, json)` words and hint for people; with `--json` an object for programs. Its words may quote
 *   others, so they are made plain.
 */
import type { ErrorReport } from "@devflow/core/error-report";
import { plainText } from "@devflow/core/plain-text";

export function failureText({ code, message, hint, details }: ErrorReport, json: boolean): string {
  if (json) return JSON.stringify({ error: { code, message, hint, details } });
  return plainText([message, hint].filter(Boolean).join("\n"));
}
