/**
 * Every failure as a JSON object, in the shape its clients parse: PostgREST's under `/rest`, Devflow's elsewhere.
 *
 * - `failureAnswer(error, path)` the response. What is not a known failure is said to be internal and no more.
 */
import { DevflowError, errorReport, toDevflowError } from "@devflow/core/errors";
import type { DataPlaneFailure, Failure } from "@devflow/protocol";
import { Refusal, refusalOf } from "../data-plane/failure.ts";

export function failureAnswer(error: unknown, path: string): Response {
  if (error instanceof Refusal) return answer(error.status, error.body);
  const known = error instanceof DevflowError ? error : concealed(error);
  const { code, message, hint, status, details } = errorReport(known);
  if (isDataPlane(path)) return answer(status, dataPlaneFailure(code, message, hint));
  const failure: Failure = { error: { code, message, hint, ...(hasMembers(details) ? { details } : {}) } };
  return answer(status, failure);
}

export function isDataPlane(path: string): boolean {
  return path === "/rest" || path.startsWith("/rest/");
}

/** PostgREST's codes where it has one for the same thing. */
function dataPlaneFailure(code: string, message: string, hint: string): DataPlaneFailure {
  const codes: Readonly<Record<string, string>> = { unauthenticated: "PGRST301", not_found: "PGRST125" };
  return { code: codes[code] ?? code, message, details: null, hint: hint || null };
}

/** A stack, a path or a query in an answer would help only an attacker; the log has them. */
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

function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0;
}
