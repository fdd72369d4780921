/** The HTTP response to a call: Postgres's JSON passed through, with the range and the total in `Content-Range`. */
import type { CallRow } from "./call-statement.ts";
import type { ApiFunction } from "./resolve-function.ts";
import type { ResultShape } from "./result-shape.ts";

export function callAnswer(answer: {
  readonly fn: ApiFunction;
  readonly result: CallRow;
  readonly shape: ResultShape;
  readonly isHead: boolean;
}): Response {
  const { fn, result, shape, isHead } = answer;
  const headers: Record<string, string> = { "cache-control": "no-store", "content-profile": "api" };
  if (fn.result === "void") return new Response(null, { status: 204, headers });
  headers["content-range"] = contentRange(result, shape.offset);
  if (shape.minimal) return new Response(null, { status: 204, headers });
  const form = shape.single ? "application/vnd.pgrst.object+json" : "application/json";
  headers["content-type"] = `${form}; charset=utf-8`;
  return new Response(isHead ? null : result.body, { status: statusOf(result), headers });
}

function contentRange({ rows, total }: CallRow, offset: number): string {
  const range = rows === 0 ? "*" : `${offset}-${offset + rows - 1}`;
  return `${range}/${total ?? "*"}`;
}

/** Partial only when the total is known and the response does not contain all of it. */
function statusOf({ rows, total }: CallRow): number {
  return total !== null && rows < total ? 206 : 200;
}
