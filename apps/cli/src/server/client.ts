/** Calls to the local server with the machine's token. Every failure is a DevflowError. */
import { DevflowError } from "@devflow/core/errors";
import { Failure, type ServerState } from "@devflow/protocol";
import type { z } from "zod";
import { urlOf } from "./state.ts";

interface CallOptions {
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

export async function callServer<S extends z.ZodType>(
  state: ServerState,
  path: string,
  answer: S,
  { method = "GET", body, timeoutMs = 10_000 }: CallOptions = {},
): Promise<z.output<S>> {
  let response: Response;
  try {
    response = await fetch(`${urlOf(state)}${path}`, {
      method,
      headers: { authorization: `Bearer ${state.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    throw new DevflowError("server_start_failed", {
      details: { reason: `it does not answer at ${urlOf(state)}` },
      cause: error,
    });
  }
  const content: unknown = response.status === 204 ? null : await response.json();
  if (response.ok) return answer.parse(content);
  const failure = Failure.safeParse(content);
  const problem = failure.success ? failure.data.error.message : JSON.stringify(content);
  throw new DevflowError("conflict", { details: { problem, next: "See: devflow logs" } });
}
