/** `/runs`: start, preview and list runs, and the detail of one. */
import { runStates, terminalRunStates } from "@devflow/core/enums";
import { type BindingPreview, RunStartRequest } from "@devflow/protocol";
import { Hono } from "hono";
import { z } from "zod";
import type { BindResult } from "../binding/bind.ts";
import { shownFailure } from "../engine/step-failure.ts";
import { outboxState } from "../notifications/outbox.ts";
import type { RunsParts } from "../routes.ts";
import { countRuns, listRuns, mostRuns, notFound, type Reader, runDetail, runPart } from "../views/index.ts";
import { overridesOf } from "./overrides.ts";
import { actorOf, bodyOf, idOf, queryOf, type RunsContext, type RunsEnv } from "./request.ts";
import { teamFor } from "./team-for.ts";

/** `state=active` means every state except the terminal ones; several are separated by commas. */
const active = runStates.filter((state) => !(terminalRunStates as readonly string[]).includes(state));
const States = z
  .string()
  .transform((text) => text.split(",").flatMap((word): string[] => (word === "active" ? active : [word])))
  .pipe(z.array(z.enum(runStates)).min(1));

const Team = z.object({ team: z.uuid().optional() });

const ListQuery = Team.extend({
  state: States.optional(),
  repo: z.string().min(1).max(4096).optional(),
  match: z
    .string()
    .regex(/^[0-9a-f-]{1,36}$/i, "a part of a run's id")
    .transform((text) => text.toLowerCase())
    .optional(),
  cursor: z.uuid().optional(),
  /** Also the lanes of runs. */
  lanes: z.stringbool().default(false),
  limit: z.coerce.number().int().min(1).max(mostRuns).default(50),
});

export function runRoutes({ engine, context, definitions }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });

  return new Hono<RunsEnv>()
    .get("/", async (c) => {
      const { state, ...rest } = queryOf(c, ListQuery);
      return c.json(await listRuns(reader(c), { ...rest, states: state }));
    })
    .post("/", async (c) => {
      const actor = actorOf(c);
      const { teamId, ...input } = await bodyOf(c, RunStartRequest);
      const started = await engine.startRun(
        { ...input, overrides: overridesOf(input.overrides), teamId: await teamFor(reader(c), teamId) },
        actor,
      );
      const ignoredFiles = definitions.faults().map(({ file }) => file);
      return c.json({ ...started, ignoredFiles }, started.created ? 201 : 200);
    })
    .get("/counts", async (c) => c.json({ counts: await countRuns(reader(c), queryOf(c, Team).team) }))
    .get("/notifications", async (c) => c.json(await outboxState(context)))
    .post("/preview", async (c) => {
      const given = await bodyOf(
        c,
        RunStartRequest.partial({ repository: true, requirements: true, clientToken: true }),
      );
      const result = await engine.previewRun({
        teamId: await teamFor(reader(c), given.teamId),
        template: given.template,
        repository: given.repository ?? "",
        requirements: given.requirements ?? "",
        overrides: overridesOf(given.overrides),
        clientToken: "preview",
      });
      return c.json(previewOf(result));
    })
    .get("/:id", async (c) => {
      const id = idOf(c, "Run");
      const found = await runDetail(reader(c), id);
      if (!found) throw notFound(`Run ${id}`);
      return c.json({ ...found, stepFailure: shownFailure(context, id, found.stepFailure) });
    })
    .get("/:id/phases", async (c) => c.json({ phases: await part(c, "phases") }))
    .get("/:id/artifacts", async (c) => c.json({ artifacts: await part(c, "artifacts") }))
    .get("/:id/sessions", async (c) => c.json({ sessions: await part(c, "sessions") }));

  async function part<Name extends "phases" | "artifacts" | "sessions">(c: RunsContext, name: Name) {
    const id = idOf(c, "Run");
    const found = await runPart(reader(c), id, name);
    if (!found) throw notFound(`Run ${id}`);
    return found;
  }
}

function previewOf(result: BindResult): BindingPreview {
  return {
    ok: result.ok,
    code: result.ok ? null : result.code,
    reason: result.ok ? null : result.reason,
    roles: result.explanations.map(({ instance, chosen, why, others }) => ({
      role: instance,
      chosen: chosen ?? null,
      backend: (result.ok && result.bindings.find((one) => one.instance === instance)?.backend) || null,
      why,
      others: [...others],
    })),
  };
}
