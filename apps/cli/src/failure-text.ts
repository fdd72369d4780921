/**
 * The text of an error, for every path of the command line.
 *
 * - `failureBody(report)` for programs: what `--json` prints.
 * - `failureText(report)` message and hint for people. The message may quote untrusted text, so it is sanitized.
 */
import type { ErrorReport } from "@devflow/core/error-report";
import { plainText } from "@devflow/core/plain-text";

export function failureBody({ code, message, hint, details }: ErrorReport) {
  return { error: { code, message, hint, details } };
}

export const failureText = ({ message, hint }: ErrorReport): string =>
  plainText([message, hint].filter(Boolean).join("\n"));
