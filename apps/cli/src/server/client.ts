/**
 * Calls to a server: the local one with the machine's token, or the team's with a person's. Every failure is a DevflowError:
 * the server's own error where it sent one, so that a command fails with the same message and exit code wherever its work is
 * done.
 *
 * - `callServer(server, path, answer, options)` the parsed response.
 * - `callRpc(server, name, args)` the same for a function of the data plane, by its contract.
 * - `fetchServer(server, path, options)` the response itself, for text and streams.
 */
import { DevflowError } from "@devflow/core/errors";
import { networkReason } from "@devflow/core/network-reason";
import { shortLine } from "@devflow/core/plain-text";
import { type RpcAnswer, type RpcArguments, type RpcName, reportOfAnswer, type ServerState } from "@devflow/protocol";
import type { z } from "zod";
import { urlOf } from "./state.ts";

/** A team's server. */
export interface TeamAddress {
  readonly url: string;
  /** Absent before signing in. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnyServer = ServerState | TeamAddress;

export interface CallOptions {
  readonly method?: "GET" | "POST" | "DELETE";
  /** A text or bytes as they are; anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Instead of a time limit, for streams. */
  readonly signal?: AbortSignal;
}

export async function callServer<S extends z.ZodType>(
  server: AnyServer,
  path: string,
  answer: S,
  options: CallOptions = {},
): Promise<z.output<S>> {
  const response = await fetchServer(server, path, options);
  const parsed = answer.safeParse(response.status === 204 ? null : parseJson(await response.text()));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  const reason = `${where ? `${where}: ` : ""}${issue?.message ?? "it has another shape"}`;
  throw new DevflowError("answer_unreadable", { details: { path, reason }, cause: parsed.error });
}

/** A function of the data plane. */
export async function callRpc<Name extends RpcName>(
  server: AnyServer,
  name: Name,
  args: RpcArguments<Name>,
): Promise<RpcAnswer<Name>> {
  // The contracts of all functions are many schemas, which commands that only ask for something else need not build.
  const { rpcAnswer } = await import("./rpc-contracts.ts");
  return await callServer(server, `/rest/v1/rpc/${name}`, rpcAnswer(name), { method: "POST", body: args });
}

export async function fetchServer(
  server: AnyServer,
  path: string,
  { method = "GET", body, headers, timeoutMs = 10_000, signal }: CallOptions = {},
): Promise<Response> {
  const url = "url" in server ? server.url : urlOf(server);
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(server.token === undefined ? {} : { authorization: `Bearer ${server.token}` }),
        "content-type": "application/json",
        ...("url" in server ? server.headers : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bodyOf(body) }),
      // A redirect could lead the token to another host.
      redirect: "error",
      signal: signal ?? AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw silent(server, { url, path, seconds: timeoutMs / 1000 }, error);
  }
  if (response.ok) return response;
  throw await failureOf(response, path);
}

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" ? body : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);

function silent(
  server: AnyServer,
  { url, path, seconds }: { readonly url: string; readonly path: string; readonly seconds: number },
  cause: unknown,
): DevflowError {
  const isLate = (cause as Error).name === "TimeoutError";
  if ("url" in server) {
    return new DevflowError("team_unreachable", { details: { server: url, reason: networkReason(cause) }, cause });
  }
  if (isLate) return new DevflowError("server_late", { details: { path, seconds }, cause });
  return new DevflowError("server_start_failed", { details: { reason: `it does not answer at ${url}` }, cause });
}

async function failureOf(response: Response, path: string): Promise<DevflowError> {
  const text = await response.text();
  const report = reportOfAnswer(response.status, parseJson(text));
  if (report) return new DevflowError(report);
  const said = shortLine(text, 200);
  const reason = `it returned ${response.status}${said ? `: ${said}` : " with an empty body"}`;
  return new DevflowError("answer_unreadable", { details: { path, reason } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
