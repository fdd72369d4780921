/** `/sessions`: the active sessions and their transcripts. */
import { Hono } from "hono";
import { z } from "zod";
import type { RunsParts } from "../routes.ts";
import { listSessions, notFound, type Reader, transcriptPage } from "../views/index.ts";
import { idOf, page, queryOf, type RunsContext, type RunsEnv } from "./request.ts";

const flag = z.stringbool().default(false);
/** `last=true` returns the newest chunks instead of the next ones. */
const TranscriptQuery = page.extend({ from: z.coerce.number().int().min(0).default(0), last: flag });

export function sessionRoutes({ context }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });

  return new Hono<RunsEnv>()
    .get("/sessions", async (c) => {
      const { all } = queryOf(c, z.object({ all: flag }));
      return c.json({ sessions: await listSessions(reader(c), { all }) });
    })
    .get("/sessions/:id/transcript", async (c) => {
      const id = idOf(c, "Session");
      const found = await transcriptPage(reader(c), id, queryOf(c, TranscriptQuery));
      if (!found) throw notFound(`Session ${id}`);
      return c.json(found);
    });
}
