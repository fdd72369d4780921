/**
 * The daemon's HTTP server on 127.0.0.1, for the command line only.
 *
 * - `startHttpServer(tokens, handle)` listens on a free port; `close()` closes it and every connection.
 * - `refusalOf(request, port)` the request checks: a web page must never get through, whatever host name it uses for
 *   this address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DevflowError, type ErrorReport, errorReport } from "@devflow/core/errors";
import type { CommandReply } from "../client/index.ts";
import { listenOnLoopback, readBody } from "../loopback.ts";
import type { Caller, Tokens } from "./tokens.ts";

export interface DaemonRequest {
  readonly path: string;
  readonly body: unknown;
  readonly caller: Caller;
  /** Aborted when the caller closes the connection. */
  readonly signal: AbortSignal;
}

export interface DaemonResponse {
  readonly status: number;
  readonly body: unknown;
  /** Called once the response has been sent. */
  readonly afterwards?: () => void;
}

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

const bodyLimit = 8 * 1024 * 1024;
const readLimitMs = 30_000;

export async function startHttpServer(
  tokens: Tokens,
  handle: (request: DaemonRequest) => Promise<DaemonResponse>,
): Promise<HttpServer> {
  let port = 0;
  const server = createServer((request, response) => {
    void answer(request, response, port, tokens, handle).catch(() => response.destroy());
  });
  server.headersTimeout = readLimitMs;
  server.requestTimeout = readLimitMs;
  port = await listenOnLoopback(server);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refusalOf(
  { method = "", url: path = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  port: number,
): ErrorReport | undefined {
  const host = headers.host;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return forbidden("Wrong Host.");
  if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined || headers.referer !== undefined) {
    return forbidden("Requests from browsers are refused.");
  }
  if (method !== "POST") {
    return errorReport(new DevflowError("method_not_allowed", { details: { path, method, allowed: "POST" } }));
  }
  if (!/^application\/json(?:; *charset=utf-8)?$/i.test(headers["content-type"] ?? "")) {
    const problem = "Only application/json is accepted.";
    return { ...errorReport(new DevflowError("input_invalid", { details: { problem } })), status: 415 };
  }
  return undefined;
}

const forbidden = (problem: string): ErrorReport =>
  errorReport(new DevflowError("forbidden", { details: { problem } }));

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  tokens: Tokens,
  handle: (request: DaemonRequest) => Promise<DaemonResponse>,
): Promise<void> {
  const refusal = refusalOf(request, port);
  if (refusal) return send(response, failed(refusal));
  const caller = tokens.callerOf(request.headers.authorization);
  if (!caller) return send(response, failed(errorReport(new DevflowError("browse_token_refused"))));
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort(new DevflowError("browse_cancelled", { details: { command: "it" } }));
  });
  try {
    const body = await readJson(request);
    send(response, await handle({ path: request.url ?? "", body, caller, signal: gone.signal }));
  } catch (error) {
    send(response, failed(errorReport(error)));
  }
}

const failed = (error: ErrorReport): DaemonResponse => ({
  status: error.status,
  body: { ok: false, error } satisfies CommandReply,
});

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request, bodyLimit);
  if (text === undefined) throw new DevflowError("too_large", { details: { limit: bodyLimit } });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DevflowError("input_invalid", { details: { problem: "The body is not JSON." }, cause });
  }
}

function send(response: ServerResponse, { status, body, afterwards }: DaemonResponse): void {
  const content = Buffer.from(JSON.stringify(body), "utf8");
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": content.length,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  response.end(content, afterwards);
}
