/**
 * Transactions on behalf of a caller.
 *
 * - `withClaims(line, claims, fn, options)` as the person of the claims, under row-level security.
 * - `asEngine(line, fn)` as the server's background work, under its own policies. With a worker's token as the work of that
 *   worker: in the teams of the token only.
 *
 * Role, claims and time limits are set in one statement that is sent together with `begin` and the first one of `fn`, so they
 * need no round trip. All are local to the transaction: the next user of the connection starts with none of them. If they
 * cannot be set, the transaction is broken and refuses everything after.
 */
import type { Secret } from "@devflow/core/secret";
import type { Transaction } from "./connection-target.ts";
import type { Line, TransactionOptions } from "./line.ts";

/** A verified token's content; `role` is the database role the request runs as. */
export interface Claims {
  readonly sub?: string;
  readonly role: "anon" | "authenticated";
  readonly [name: string]: unknown;
}

export interface ClaimsOptions {
  /** True when the sanitizer changed what this request sends; the rows it writes record it. */
  readonly sanitised?: boolean;
  readonly timeoutMs?: number;
}

const requestTimeoutMs = 15_000;

/**
 * How long a transaction may wait for its program. One that was frozen in the middle (a laptop that sleeps, a machine that is
 * paused) would otherwise keep its locks from everybody else until it wakes.
 */
const engineIdleMs = 30_000;

export function withClaims<T>(
  line: Line,
  claims: Claims,
  fn: (tx: Transaction) => Promise<T>,
  { sanitised = false, timeoutMs = requestTimeoutMs }: ClaimsOptions = {},
): Promise<T> {
  return line.transaction(fn, {
    head: identity(claims.role, JSON.stringify(claims), sanitised, { statementMs: timeoutMs, idleMs: timeoutMs }),
  });
}

export function asEngine<T>(
  line: Line,
  fn: (tx: Transaction) => Promise<T>,
  options: Pick<TransactionOptions, "last"> = {},
  workerToken?: Secret,
): Promise<T> {
  const times = { statementMs: 0, idleMs: engineIdleMs };
  const engine = identity("devflow_engine", "", false, times);
  return line.transaction(fn, { ...options, head: workerToken ? workerIdentity(workerToken) : engine });
}

const workerIdentity =
  (token: Secret) =>
  (tx: Transaction): PromiseLike<unknown> =>
    tx`
      select set_config('role', 'devflow_worker', true), set_config('app.worker_token', ${token.reveal()}, true),
             set_config('idle_in_transaction_session_timeout', ${String(engineIdleMs)}, true)`.execute();

const identity =
  (
    role: Claims["role"] | "devflow_engine",
    claims: string,
    sanitised: boolean,
    { statementMs, idleMs }: { readonly statementMs: number; readonly idleMs: number },
  ) =>
  (tx: Transaction): PromiseLike<unknown> =>
    tx`
      select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true),
             set_config('request.sanitised', ${String(sanitised)}, true),
             set_config('statement_timeout', ${String(statementMs)}, true),
             set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true)`.execute();
