/**
 * One connection that is never confused with another.
 *
 * - `openLine(target, options)` connects with the first statement. Once its connection is lost, the line is dead: every
 *   later statement is refused, and nothing reconnects silently.
 * - `line.statement` one statement outside a transaction.
 * - `line.transaction(fn, options)` begin, `fn`, commit; rolls back when `fn` throws. `begin`, the optional `head` and
 *   the first statement of `fn` are sent together, and so are the `last` statements and `commit`.
 *
 * Otherwise postgres.js 3.4.9 would reconnect and continue: a transaction whose connection was cut ends the process with an
 * uncaught TypeError, hangs its successor, or sends its remaining statements into another transaction
 * (porsager/postgres issues 1066, 1208, 1216). One driver instance per connection, discarded when it closes, and a check
 * before each statement prevent that.
 */
import { DevflowError } from "@devflow/core/errors";
import type { ParameterOrFragment, PendingQuery, Row, RowList } from "postgres";
import {
  type ConnectionTarget,
  type ConnectOptions,
  connect,
  type Sql,
  type Transaction,
} from "./connection-target.ts";
import { openLineSocket } from "./line-socket.ts";

export type Statement = <T extends readonly (object | undefined)[] = Row[]>(
  template: TemplateStringsArray,
  ...parameters: readonly ParameterOrFragment<never>[]
) => Promise<RowList<T>>;

/** A statement that was created and not sent yet. */
export type LastStatement = PendingQuery<Row[]>;

export interface TransactionOptions {
  /** The text after `begin`: "isolation level repeatable read read only". */
  readonly mode?: string;
  /** A statement that must succeed before the transaction counts. */
  readonly head?: (tx: Transaction) => PromiseLike<unknown>;
  /** Evaluated after `fn`: sent together with `commit`. If one fails, nothing is committed. */
  readonly last?: () => readonly LastStatement[];
}

export interface Line {
  readonly isDead: boolean;
  /** Resolves when the connection is lost or ended. */
  readonly died: Promise<void>;
  readonly statement: Statement;
  transaction<T>(fn: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** A statement that takes no parameters, such as `listen` or `create database`. */
  run(text: string): Promise<void>;
  end(): Promise<void>;
}

export function openLine(target: ConnectionTarget, options: Omit<ConnectOptions, "max" | "onClose">): Line {
  let isDead = false;
  let die = () => {};
  const died = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  let isConnected = false;
  const socket = () => {
    // The driver connects again if it lost the first one early; a line never does.
    if (isConnected || isDead) throw connectionLost();
    isConnected = true;
    return openLineSocket(target, { connectSeconds: options.connectSeconds ?? 10, onLost: () => bury() });
  };
  const sql = connect(target, { ...options, max: 1, onClose: () => bury(), socket });
  /** What postgres.js keeps of a closed connection must never be used again. */
  const bury = () => {
    die();
    void sql.end({ timeout: 0 }).catch(() => {});
  };
  const fail = (error: unknown): never => {
    const named = loss(error);
    // Also if the driver has not noticed yet that its connection is gone.
    if (named !== error) bury();
    throw named;
  };
  /**
   * When the connection is lost, pending work fails at once. This is our own list, because `Promise.race` against one
   * long-lived promise would keep every result in memory for as long as the connection lives.
   */
  const underWay = new Set<(reason: unknown) => void>();
  void died.then(() => {
    for (const refuse of underWay) refuse(connectionLost());
  });
  const orLost = <T>(work: PromiseLike<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      underWay.add(reject);
      const end = () => underWay.delete(reject);
      work.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });

  /** A connection that does not answer a rollback, as in the middle of a COPY, is unusable. */
  const rollBack = async (): Promise<void> => {
    const timer = setTimeout(bury, rollbackMs);
    await orLost(sql.unsafe("rollback")).catch(bury);
    clearTimeout(timer);
  };

  const line: Line = {
    get isDead() {
      return isDead;
    },
    died,
    async statement<T extends readonly (object | undefined)[]>(...words: Parameters<Statement>): Promise<RowList<T>> {
      if (isDead) throw connectionLost();
      return await orLost(sql<T>(...words)).catch(fail);
    },
    async transaction(fn, { mode = "", head, last } = {}) {
      if (isDead) throw connectionLost();
      const scope = { isOver: false };
      const tx = guarded(sql, () => {
        if (isDead) throw connectionLost();
        if (scope.isOver) throw new Error("this transaction is over; its `tx` can no longer be used");
      });
      const opening = Promise.all([sql.unsafe(`begin ${mode}`).execute(), head?.(tx)]);
      opening.catch(() => {});
      try {
        const value = await orLost(fn(tx));
        await opening;
        // Postgres turns the commit of a transaction with a failed statement into a rollback.
        const sent = (last?.() ?? []).map((statement) => statement.execute());
        scope.isOver = true;
        const [done] = await orLost(Promise.all([sql.unsafe("commit").execute(), ...sent]));
        // Postgres answers a commit of a broken transaction with ROLLBACK and no error.
        if (done.command !== "COMMIT") throw swallowed();
        return value;
      } catch (error) {
        scope.isOver = true;
        if (!isDead) await rollBack();
        // If the beginning failed, everything after it only reports "transaction is aborted".
        await opening.catch(fail);
        return fail(error);
      }
    },
    async run(text) {
      if (isDead) throw connectionLost();
      await orLost(sql.unsafe(text)).catch(fail);
    },
    async end() {
      die();
      await sql.end({ timeout: 5 }).catch(() => {});
    },
  };
  return line;
}

const rollbackMs = 2_000;

/** The same functions as in postgres.js, each checking first whether it may be used. */
function guarded(sql: Sql, check: () => void): Transaction {
  return new Proxy(sql as unknown as Transaction & object, {
    apply(target, self, words) {
      check();
      return Reflect.apply(target as unknown as (...words: unknown[]) => unknown, self, words);
    },
    get(target, name) {
      check();
      return Reflect.get(target, name) as unknown;
    },
  });
}

export function connectionLost(cause?: unknown): DevflowError {
  return new DevflowError("db_unreachable", { details: { reason: "the connection was lost" }, cause });
}

/** Codes of the driver and the system for a lost connection, and the server's for one that it ended. */
const lossCodes = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOENT|57P0[123]|08)/;

function loss(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (error instanceof DevflowError || !lossCodes.test(String(code))) return error;
  return new DevflowError("db_unreachable", { details: { reason: message || String(code) }, cause: error });
}

function swallowed(): DevflowError {
  const problem = "a statement failed and its error was ignored, so the transaction could not be committed";
  return new DevflowError("internal", { details: { problem } });
}
