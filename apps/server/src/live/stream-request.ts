/** What the routes of live streams share: reading where a client left off, and the answer that stays open. */
import { DevflowError } from "@devflow/core/errors";
import type { ServerEnv } from "../server-env.ts";

export interface StreamContext {
  readonly env: ServerEnv["Bindings"];
  readonly req: { readonly raw: Request };
}

export function lastEventId(request: Request): string | undefined {
  const given = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("lastEventId");
  return given ? given : undefined;
}

export function streaming(c: StreamContext, stream: ReadableStream<Uint8Array>): Response {
  // Bun closes a connection that was silent for its idle timeout; heartbeats are rarer than that.
  c.env.server.timeout(c.req.raw, 0);
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

export function invalidCursor(problem: string): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next: "Connect without Last-Event-ID." } });
}
