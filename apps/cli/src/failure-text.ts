/**
 * How a failure is printed, by every path of the command line.
 *
 * - `failureBody(report)` for programs: what `--json` prints.
 * - `failureText(report)` words and hint for people. They may quote others, so they are made plain.
 */
import type { ErrorReport } from "@devflow/core/error-report";
import { plainText } from "@devflow/core/plain-text";

export function failureBody({ code, message, hint, details }: ErrorReport) {
  return { error: { code, message, hint, details } };
}

export const failureText = ({ message, hint }: ErrorReport): string =>
  plainText([message, hint].filter(Boolean).join("\n"));
