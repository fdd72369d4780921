/**
 * The body of every answer that is not a success: an object, never empty, never an array. It carries the error whole.
 *
 * - `Failure` everywhere; on `/rest/v1` it has PostgREST's members beside it (`DataPlaneFailure`), which its clients parse.
 * - `reportOfAnswer(status, body)` the error in either of them, and in an answer of a PostgREST without Devflow; undefined
 *   when the body is neither.
 */
import { type ErrorReport, readErrorReport } from "@devflow/core/error-report";
import { z } from "zod";

const Report = z.unknown().transform((value, context): ErrorReport => {
  const report = readErrorReport(value);
  if (report) return report;
  context.addIssue({ code: "custom", message: "not an error report" });
  return z.NEVER;
});

export const Failure = z.object({ error: Report });
export type Failure = z.infer<typeof Failure>;

export const DataPlaneFailure = z.object({
  code: z.string(),
  message: z.string(),
  details: z.string().nullable(),
  hint: z.string().nullable(),
  /** Absent where the database itself, or PostgREST, refused: all it said stands above. */
  error: Report.optional(),
});
export type DataPlaneFailure = z.infer<typeof DataPlaneFailure>;

export function reportOfAnswer(status: number, body: unknown): ErrorReport | undefined {
  const own = Failure.safeParse(body);
  if (own.success) return own.data.error;
  const refused = DataPlaneFailure.safeParse(body);
  if (!refused.success) return undefined;
  const { code, message, details, hint } = refused.data;
  return {
    ...{ code, message, hint: hint ?? "", status, details: details === null ? {} : { details } },
    ...meaningOf(status),
  };
}

/** What a refusal of the data plane means to whoever asked, by its status. Exit codes as in the registry of errors. */
function meaningOf(status: number): Pick<ErrorReport, "class" | "exit"> {
  if (status === 503 || status === 504) return { class: "recoverable", exit: 75 };
  if (status >= 500) return { class: "fatal", exit: 70 };
  const exits: Readonly<Record<number, number>> = { 401: 77, 403: 77, 404: 66, 409: 75 };
  return { class: "user", exit: exits[status] ?? 65 };
}
