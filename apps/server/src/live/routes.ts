/** `/sse/team/:teamId` and `/sse/global`: live streams for fetch-based clients, which send the bearer header. */
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { Hono } from "hono";
import type { ServerEnv } from "../server-env.ts";
import type { LiveStreams } from "./live-streams.ts";
import { parseGlobalEventId, parseTeamEventId } from "./stream-frames.ts";
import { invalidCursor, lastEventId, type StreamContext, streaming } from "./stream-request.ts";

export function liveRoutes(live: Pick<LiveStreams, "subscribe">): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/team/:teamId", async (c) => {
      const teamId = c.req.param("teamId").toLowerCase();
      if (!isUuid(teamId)) throw invalidCursor(`"${teamId}" is not a team's id.`);
      const given = lastEventId(c.req.raw);
      const after = new Map<string, number>();
      if (given !== undefined) {
        const seq = parseTeamEventId(given);
        if (seq === undefined) throw invalidCursor("Last-Event-ID is not a seq of this stream.");
        after.set(teamId, seq);
      }
      return open(c, teamId, after);
    })
    .get("/global", async (c) => {
      const given = lastEventId(c.req.raw);
      const after = given === undefined ? new Map<string, number>() : parseGlobalEventId(given);
      if (!after) throw invalidCursor("Last-Event-ID is not an id of this stream.");
      return open(c, undefined, after);
    });

  async function open(
    c: StreamContext & { var: ServerEnv["Variables"] },
    teamId: string | undefined,
    after: ReadonlyMap<string, number>,
  ): Promise<Response> {
    const { claims, expiresAtMs } = c.var.caller;
    if (claims.team !== undefined && claims.team !== teamId) throw otherTeam(claims.team);
    return streaming(c, await live.subscribe({ userId: claims.sub, expiresAtMs, teamId, after }));
  }
}

/** A token for one team follows that team only; the streams know people, not tokens. */
function otherTeam(team: string): DevflowError {
  return new DevflowError("forbidden", {
    details: { problem: "This token is for one team.", next: `Follow that team: /sse/team/${team}` },
  });
}
