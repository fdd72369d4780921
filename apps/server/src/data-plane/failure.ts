/**
 * A refusal on the data plane, in PostgREST's format: its clients read `code`, `message`, `details` and `hint`.
 *
 * - `Refusal` is thrown anywhere under `/rest/v1` and becomes the response.
 * - `refusalOf(error, role)` converts an error of Postgres or the driver; undefined for any other.
 */
import type { DataPlaneFailure } from "@devflow/protocol";

interface RefusalParts {
  readonly code: string;
  readonly message: string;
  readonly details?: string | null;
  readonly hint?: string | null;
  readonly cause?: unknown;
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly body: DataPlaneFailure;

  constructor(status: number, { code, message, details = null, hint = null, cause }: RefusalParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.body = { code, message, details, hint };
  }
}

export type DatabaseRole = "anon" | "authenticated";

export function refusalOf(error: unknown, role: DatabaseRole): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const fault = error as {
    code?: unknown;
    message?: unknown;
    detail?: unknown;
    hint?: unknown;
    severity?: unknown;
  } | null;
  const code = typeof fault?.code === "string" ? fault.code : undefined;
  if (code === undefined) return undefined;
  if (/^[0-9A-Z]{5}$/.test(code) && fault?.severity !== undefined) {
    // FATAL ends the connection, not the statement: the database is shutting down, or refused the login.
    return new Refusal(fault.severity === "FATAL" ? 503 : statusOf(code, role), {
      code,
      message: textOf(fault.message) ?? "the database refused",
      details: textOf(fault.detail),
      hint: textOf(fault.hint),
      cause: error,
    });
  }
  if (!connectionFaults.has(code)) return undefined;
  return new Refusal(503, {
    code: "PGRST000",
    message: "The database cannot be reached.",
    hint: "See what is wrong: devflow doctor",
    cause: error,
  });
}

/** Errors of postgres.js and the socket when there is no database. */
const connectionFaults = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
]);

/** SQLSTATE to HTTP status as in PostgREST; the longest listed prefix wins. */
const statusBySqlstate: Readonly<Record<string, number>> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "23503": 409,
  "23505": 409,
  "25": 500,
  "25006": 405,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53": 503,
  "53400": 500,
  "54": 500,
  "55": 500,
  "57": 500,
  "57014": 504,
  "57P01": 503,
  "57P02": 503,
  "57P03": 503,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};

function statusOf(sqlstate: string, role: DatabaseRole): number {
  if (sqlstate === "42501") return role === "anon" ? 401 : 403;
  // `raise sqlstate 'PT402'` lets a function choose its status.
  const chosen = /^PT([1-5]\d\d)$/.exec(sqlstate)?.[1];
  if (chosen) return Number(chosen);
  return statusBySqlstate[sqlstate] ?? statusBySqlstate[sqlstate.slice(0, 2)] ?? 400;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
