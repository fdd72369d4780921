/**
 * A function of the data plane of a team server, called over HTTP. Nothing is thrown for what a server or a network may do: the
 * outcome says what happened, and the caller decides.
 *
 * - `callRpc(connection, name, args, options)` an answer, a refusal with its status, or why there was none.
 */
import { networkReason } from "@devflow/core/network-reason";
import type { Secret } from "@devflow/core/secret";
import { DataPlaneFailure, type RpcArguments, type RpcName } from "@devflow/protocol";

/** How to reach one server as one person. */
export interface Connection {
  readonly url: string;
  readonly token: Secret;
  /** For platforms that want a key of their own besides the token. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type RpcOutcome =
  | { readonly is: "answered"; readonly body: unknown }
  | {
      readonly is: "refused";
      readonly status: number;
      /** SQLSTATE or PostgREST's code; empty when something in between answered. */
      readonly code: string;
      readonly message: string;
      readonly details: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly is: "unreachable"; readonly reason: string };

export interface RpcOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The arguments as JSON text, if the caller has it already. */
  readonly body?: string;
}

/** A pull answers at most 4 MB; a server that sends without end is cut off. */
const maxAnswerBytes = 16 * 1024 * 1024;

export async function callRpc<Name extends RpcName>(
  { url, token, headers }: Connection,
  name: Name,
  args: RpcArguments<Name>,
  { timeoutMs, signal, body = JSON.stringify(args) }: RpcOptions,
): Promise<RpcOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${url.replace(/\/+$/, "")}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${token.reveal()}`,
        "content-type": "application/json",
        "content-profile": "api",
      },
      body,
      // A redirect could lead the token to another host.
      redirect: "error",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await textOf(response);
    if (response.ok) return answerOf(text);
    return refusalOf(response, text);
  } catch (error) {
    if (timeout.aborted) return { is: "unreachable", reason: `no answer within ${timeoutMs / 1000} s` };
    return { is: "unreachable", reason: networkReason(error) };
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error("the answer is larger than 16 MB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answerOf(text: string): RpcOutcome {
  try {
    return { is: "answered", body: JSON.parse(text) };
  } catch {
    return { is: "unreachable", reason: "the answer is not JSON" };
  }
}

function refusalOf(response: Response, text: string): RpcOutcome {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const said = DataPlaneFailure.partial().safeParse(body);
  return {
    is: "refused",
    status: response.status,
    code: said.data?.code ?? "",
    message: said.data?.message ?? "",
    details: said.data?.details ?? "",
    retryAfterMs: retryAfterOf(response.headers.get("retry-after")),
  };
}

/** Seconds or a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
