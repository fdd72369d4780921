/**
 * Every error as a JSON object with the complete error; under `/rest` with the fields that PostgREST's clients parse.
 *
 * - `failureAnswer(error, path)` the response. An unknown error is reported only as internal.
 */
import { DevflowError, type ErrorReport, errorReport, toDevflowError } from "@devflow/core/errors";
import type { DataPlaneFailure, Failure } from "@devflow/protocol";
import { Refusal, refusalOf } from "../data-plane/failure.ts";

export function failureAnswer(error: unknown, path: string): Response {
  if (error instanceof Refusal) return answer(error.status, error.body);
  const known = error instanceof DevflowError ? error : concealed(error);
  const report = errorReport(known);
  const failure: Failure = { error: report };
  return answer(report.status, isDataPlane(path) ? dataPlaneFailure(report) : failure);
}

function isDataPlane(path: string): boolean {
  return path === "/rest" || path.startsWith("/rest/");
}

/** PostgREST's codes where it has one for the same thing. */
function dataPlaneFailure(error: ErrorReport): DataPlaneFailure {
  const codes: Readonly<Record<string, string>> = { unauthenticated: "PGRST301", not_found: "PGRST125" };
  const { code, message, hint } = error;
  return { code: codes[code] ?? code, message, details: null, hint: hint || null, error };
}

/** A stack, a path or a query in a response would help only an attacker; the log has them. */
function concealed(error: unknown): DevflowError {
  if (refusalOf(error, "authenticated")?.status === 503) {
    return new DevflowError("db_unreachable", { details: { reason: "it is down or restarting" }, cause: error });
  }
  const named = toDevflowError(error);
  return named.code === "internal"
    ? new DevflowError("internal", { details: { problem: "see the server's log (devflow logs)" }, cause: error })
    : named;
}

function answer(status: number, body: object): Response {
  const headers: Record<string, string> = { "cache-control": "no-store" };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  return Response.json(body, { status, headers });
}
