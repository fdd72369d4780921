/** Shared by the routes of live streams: reading the client's cursor, and the response that stays open. */
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
  // Bun closes an idle connection after its timeout, which is shorter than the heartbeat interval.
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
