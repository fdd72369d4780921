/** `/sse/runs/:id`: a run live. */
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { Hono } from "hono";
import type { ServerEnv } from "../server-env.ts";
import type { RunStreams } from "./run-streams.ts";
import { parseTeamEventId } from "./stream-frames.ts";
import { invalidCursor, lastEventId, streaming } from "./stream-request.ts";

export function runStreamRoutes(streams: Pick<RunStreams, "subscribe">): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get("/:id", async (c) => {
    const runId = c.req.param("id").toLowerCase();
    if (!isUuid(runId)) throw new DevflowError("not_found", { details: { what: `Run ${runId}` } });
    const given = lastEventId(c.req.raw);
    const after = given === undefined ? 0 : parseTeamEventId(given);
    if (after === undefined) throw invalidCursor("Last-Event-ID is not a seq of this stream.");
    const transcripts = new Map<string, number>();
    for (const text of c.req.queries("transcriptFrom") ?? []) {
      const [, session, seq] = /^([0-9a-f-]{36}):(\d{1,15})$/i.exec(text) ?? [];
      if (session === undefined || !isUuid(session)) throw invalidCursor("transcriptFrom must be <session>:<seq>.");
      transcripts.set(session.toLowerCase(), Number(seq));
    }
    const { claims, expiresAtMs } = c.var.caller;
    return streaming(c, await streams.subscribe({ claims, expiresAtMs, runId, after, transcripts }));
  });
}
