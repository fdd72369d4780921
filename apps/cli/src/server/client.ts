/**
 * Calls to the local server with the machine's token. Every failure is a DevflowError: the server's own where it sent
 * one, so that a command fails with the same words and exit code wherever its work is done.
 *
 * - `callServer(state, path, answer, options)` the answer, parsed.
 * - `fetchServer(state, path, options)` the response itself, for text and streams.
 */
import { DevflowError, type ErrorCode, errorRegistry } from "@devflow/core/errors";
import { Failure, type ServerState } from "@devflow/protocol";
import type { z } from "zod";
import { urlOf } from "./state.ts";

export interface CallOptions {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Instead of a time limit, for streams. */
  readonly signal?: AbortSignal;
}

export async function callServer<S extends z.ZodType>(
  state: ServerState,
  path: string,
  answer: S,
  options: CallOptions = {},
): Promise<z.output<S>> {
  const response = await fetchServer(state, path, options);
  return answer.parse(response.status === 204 ? null : await response.json());
}

export async function fetchServer(
  state: ServerState,
  path: string,
  { method = "GET", body, headers, timeoutMs = 10_000, signal }: CallOptions = {},
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${urlOf(state)}${path}`, {
      method,
      headers: { authorization: `Bearer ${state.token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new DevflowError("server_start_failed", {
      details: { reason: `it does not answer at ${urlOf(state)}` },
      cause: error,
    });
  }
  if (response.ok) return response;
  throw await failureOf(response);
}

async function failureOf(response: Response): Promise<DevflowError> {
  const text = await response.text();
  const failure = Failure.safeParse(parseJson(text));
  if (!failure.success) {
    return new DevflowError("conflict", { details: { problem: text.slice(0, 500), next: "See: devflow logs" } });
  }
  const { code, message, hint, details = {} } = failure.data.error;
  const rebuilt = isKnown(code) ? new DevflowError(code, { details }) : undefined;
  // A newer server may say it in other words; its words count.
  if (rebuilt?.message === message) return rebuilt;
  return new DevflowError("conflict", { details: { problem: message, next: hint } });
}

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(errorRegistry, code);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
