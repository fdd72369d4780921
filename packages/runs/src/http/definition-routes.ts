/** `/templates` and `/personas`: what a run can be started with. */
import { Hono } from "hono";
import type { RunsParts } from "../routes.ts";
import { listPersonas, listTemplates, type Reader } from "../views/index.ts";
import type { RunsContext, RunsEnv } from "./request.ts";

export function definitionRoutes({ context, reseed }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });

  return new Hono<RunsEnv>()
    .get("/templates", async (c) => c.json({ templates: await listTemplates(reader(c)) }))
    .get("/personas", async (c) => c.json({ personas: await listPersonas(reader(c)) }))
    .post("/templates/seed", async (c) => c.json(await reseed()));
}
