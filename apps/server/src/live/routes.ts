/** `/sse/team/:teamId`, `/sse/global` and `/sse/runs/:id`: live streams for fetch-based clients, which carry the bearer header. */
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { Hono } from "hono";
import type { ServerEnv } from "../server-env.ts";
import type { ChangeHub } from "./change-hub.ts";
import type { RunStreams } from "./run-streams.ts";
import { parseGlobalEventId, parseTeamEventId } from "./stream-frames.ts";

export function liveRoutes(hub: ChangeHub, runs?: RunStreams): Hono<ServerEnv> {
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
    })
    .get("/runs/:id", async (c) => {
      const runId = c.req.param("id").toLowerCase();
      if (!runs || !isUuid(runId)) throw new DevflowError("not_found", { details: { what: `Run ${runId}` } });
      const given = lastEventId(c.req.raw);
      const after = given === undefined ? 0 : parseTeamEventId(given);
      if (after === undefined) throw invalid("Last-Event-ID is not a seq of this stream.");
      const transcripts = new Map<string, number>();
      for (const text of c.req.queries("transcriptFrom") ?? []) {
        const [, session, seq] = /^([0-9a-f-]{36}):(\d{1,15})$/i.exec(text) ?? [];
        if (session === undefined || !isUuid(session)) throw invalid("transcriptFrom is <session>:<seq>.");
        transcripts.set(session.toLowerCase(), Number(seq));
      }
      const { claims, expiresAtMs } = c.var.caller;
      return streaming(c, await runs.subscribe({ claims, expiresAtMs, runId, after, transcripts }));
    });

  async function open(
    c: { var: ServerEnv["Variables"]; env: ServerEnv["Bindings"]; req: { raw: Request } },
    teamId: string | undefined,
    after: ReadonlyMap<string, number>,
  ): Promise<Response> {
    const { claims, expiresAtMs } = c.var.caller;
    return streaming(c, await hub.subscribe({ userId: claims.sub, expiresAtMs, teamId, after }));
  }

  function streaming(
    c: { env: ServerEnv["Bindings"]; req: { raw: Request } },
    stream: ReadableStream<Uint8Array>,
  ): Response {
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
