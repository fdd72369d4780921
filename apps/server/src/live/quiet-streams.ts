/**
 * Live streams of a server that hears of no changes. The web app's layout follows the teams' changes; this tells it that it is up to date.
 *
 * - `quietStreams()` the routes under `/sse`; `stop()` ends the streams that are open.
 */
import { DevflowError } from "@devflow/core/errors";
import { heartbeatMs } from "@devflow/protocol";
import { Hono } from "hono";
import { privateAnswer } from "../request-checks/security-headers.ts";
import type { ServerEnv } from "../server-env.ts";
import { heartbeat, opening, readyFrame } from "./stream-frames.ts";

export function quietStreams() {
  const ends = new Set<() => void>();
  const open = () => {
    let end = () => {};
    return new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(opening);
        controller.enqueue(readyFrame(new Map(), false, ""));
        const beat = setInterval(() => controller.enqueue(heartbeat), heartbeatMs);
        end = () => {
          clearInterval(beat);
          if (ends.delete(end)) controller.close();
        };
        ends.add(end);
      },
      cancel() {
        ends.delete(end);
        end();
      },
    });
  };
  const routes = new Hono<ServerEnv>().get("/global", (c) => {
    if (ends.size >= 50) throw new DevflowError("too_many_streams", { details: { limit: 50 } });
    c.env.server.timeout(c.req.raw, 0);
    return new Response(open(), {
      headers: { "content-type": "text/event-stream; charset=utf-8", ...privateAnswer },
    });
  });
  return {
    routes,
    stop() {
      for (const end of [...ends]) end();
    },
  };
}
