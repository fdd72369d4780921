/** `/sse/team/:teamId` and `/sse/global`: live streams for fetch-based clients, which carry the bearer header. */
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { Hono } from "hono";
import type { ServerEnv } from "../server-env.ts";
import type { ChangeHub } from "./change-hub.ts";
import { parseGlobalEventId, parseTeamEventId } from "./stream-frames.ts";

export function liveRoutes(hub: ChangeHub): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/team/:teamId", async (c) => {
      const teamId = c.req.param("teamId").toLowerCase();
      if (!isUuid(teamId)) throw invalid(`"${teamId}" is not a team's id.`);
      const given = lastEventId(c.req.raw);
      const after = new Map<string, number>();
      if (given !== undefined) {
        const seq = parseTeamEventId(given);
        if (seq === undefined) throw invalid("Last-Event-ID is not a seq of this stream.");
        after.set(teamId, seq);
      }
      return open(c, teamId, after);
    })
    .get("/global", async (c) => {
      const given = lastEventId(c.req.raw);
      const after = given === undefined ? new Map<string, number>() : parseGlobalEventId(given);
      if (!after) throw invalid("Last-Event-ID is not an id of this stream.");
      return open(c, undefined, after);
    });

  async function open(
    c: { var: ServerEnv["Variables"]; env: ServerEnv["Bindings"]; req: { raw: Request } },
    teamId: string | undefined,
    after: ReadonlyMap<string, number>,
  ): Promise<Response> {
    const { claims, expiresAtMs } = c.var.caller;
    const stream = await hub.subscribe({ userId: claims.sub, expiresAtMs, teamId, after });
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
}

function lastEventId(request: Request): string | undefined {
  const given = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("lastEventId");
  return given ? given : undefined;
}

function invalid(problem: string): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next: "Connect without Last-Event-ID." } });
}
