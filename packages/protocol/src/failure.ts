/**
 * The body of every error response: an object that contains the whole error, never empty, never an array.
 *
 * - `Failure` is used everywhere; on `/rest/v1` it also has the members of a PostgREST error (`DataPlaneFailure`), which
 *   PostgREST clients parse.
 * - `reportOfAnswer(status, body)` the error in either of them, or in the response of a PostgREST without Devflow; undefined if
 *   the body is neither.
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
  /** Absent if the database itself or PostgREST refused: the members above are all it reported. */
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
    ...{
      code,
      message,
      hint: code === hiddenSchema ? exposeIt : (hint ?? ""),
      status,
      details: details === null ? {} : { details },
    },
    ...meaningOf(status),
  };
}

/** PostgREST's code for a schema that it does not serve. */
const hiddenSchema = "PGRST106";
const exposeIt = "Expose the schema api: in the API settings of the Supabase project, add it to the exposed schemas.";

/** The class and exit code of a data-plane error, by HTTP status. Exit codes are those of the error registry. */
function meaningOf(status: number): Pick<ErrorReport, "class" | "exit"> {
  if (status === 503 || status === 504) return { class: "recoverable", exit: 75 };
  if (status >= 500) return { class: "fatal", exit: 70 };
  const exits: Readonly<Record<number, number>> = { 401: 77, 403: 77, 404: 66, 409: 75, 429: 75 };
  return { class: "user", exit: exits[status] ?? 65 };
}
