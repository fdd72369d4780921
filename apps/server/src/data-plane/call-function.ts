/**
 * One call in one transaction, on behalf of the caller. What the caller could not have accepted (not exactly one row, a
 * range beyond the end) is detected before the commit, so it leaves nothing behind.
 */
import { faultPoint } from "@devflow/core/fault-point";
import type { Database } from "@devflow/db";
import type { Claims } from "@devflow/protocol";
import type { CallArguments } from "./call-arguments.ts";
import { type CallRow, callStatement } from "./call-statement.ts";
import { Refusal } from "./failure.ts";
import type { ApiFunction } from "./resolve-function.ts";
import { outOfRange, type ResultShape } from "./result-shape.ts";

/** Postgres's pseudo-type for a literal: the column it is compared with decides. */
const unknownType = 705;

export async function callFunction(call: {
  readonly database: Pick<Database, "withClaims">;
  readonly claims: Claims;
  readonly fn: ApiFunction;
  readonly given: CallArguments;
  readonly shape: ResultShape;
  readonly isRead: boolean;
  readonly limits: { readonly rows: number };
}): Promise<CallRow> {
  const { database, claims, fn, given, shape, isRead, limits } = call;
  const { text, values } = callStatement(fn, given.names, shape, limits.rows);
  const result = await database.withClaims(
    // An anonymous key identifies nobody, whatever its claims say.
    claims.role === "anon" ? { role: "anon" } : claims,
    async (tx) => {
      // Sent together with the call, so it needs no round trip; if it fails, so does the call.
      const guard = isRead ? tx`set transaction read only`.execute() : undefined;
      const rows = tx.unsafe<CallRow[]>(text, [given.json, ...values.map((value) => tx.typed(value, unknownType))], {
        // Prepared statements stay on the connection, so only forms whose number a caller cannot grow are prepared.
        prepare: shape.select === undefined && shape.filters.length === 0 && shape.order.length === 0,
      });
      const [row] = (await Promise.all([rows, guard]))[0];
      const found = row ?? { body: "", rows: 0, total: null };
      check(fn, found, shape);
      faultPoint("beforeCommit");
      return found;
    },
    { sanitised: given.sanitised },
  );
  faultPoint("afterCommitBeforeReply");
  return result;
}

function check(fn: ApiFunction, { rows, total }: CallRow, { single, offset }: ResultShape): void {
  if (single && fn.isSet && rows !== 1) {
    throw new Refusal(406, {
      code: "PGRST116",
      message: "Cannot coerce the result to a single JSON object",
      details: `The result contains ${rows} rows`,
    });
  }
  if (total !== null && offset > 0 && offset > total) {
    throw outOfRange(`An offset of ${offset} was requested, but there are only ${total} rows.`);
  }
}
