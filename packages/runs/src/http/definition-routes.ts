/** `/templates` and `/personas`: what a run can be started with. */
import type { TemplateView } from "@devflow/protocol";
import { Hono } from "hono";
import type { RunsParts } from "../routes.ts";
import { listPersonas, listTemplates, type Reader } from "../views/index.ts";
import type { RunsContext, RunsEnv } from "./request.ts";

export function definitionRoutes({ context, engine, definitions }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });

  /** Why no run can start with a template now. */
  const why = async ({ name, version }: TemplateView): Promise<string | null> => {
    const preview = await engine.previewRun({
      teamId: "",
      template: `${name}@${version}`,
      repository: "",
      requirements: "",
      clientToken: "preview",
    });
    return preview.ok ? null : preview.reason;
  };

  return new Hono<RunsEnv>()
    .get("/templates", async (c) => {
      const templates = await listTemplates(reader(c));
      return c.json({
        templates: await Promise.all(templates.map(async (one) => ({ ...one, blocked: await why(one) }))),
        faults: definitions.faults(),
      });
    })
    .get("/personas", async (c) => c.json({ personas: await listPersonas(reader(c)), faults: definitions.faults() }))
    .post("/templates/seed", async (c) => {
      const { inserted, removed, kept } = await definitions.reseed();
      return c.json({ inserted, removed, kept, faults: definitions.faults() });
    });
}
