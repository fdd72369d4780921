/** `/runs/:id/{events,diff,comparison,report,cost,artifacts/…}`: what happened in a run, and its results. */
import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { z } from "zod";
import { runDiff } from "../care/run-diff.ts";
import { runPicture } from "../care/run-picture.ts";
import { bringHere } from "../fleet/bring-here.ts";
import { readRunFile } from "../fleet/run-files.ts";
import { compareRuns } from "../fork/compare-runs.ts";
import type { RunsParts } from "../routes.ts";
import {
  artifactContent,
  commandLogFiles,
  keptLog,
  notFound,
  type Reader,
  readCommandLog,
  runCost,
  runEvents,
  visibleRun,
} from "../views/index.ts";
import { requireHere } from "./control-routes.ts";
import { download } from "./download.ts";
import { idOf, page, queryOf, type RunsContext, type RunsEnv } from "./request.ts";

const PictureQuery = z.object({ path: z.string().min(1).max(4096), side: z.enum(["before", "after"]) });
const EventQuery = page.extend({ after: z.coerce.number().int().min(0).default(0) });

/** Per stream; a log on disk is not much longer. */
const LogQuery = z.object({
  bytes: z.coerce
    .number()
    .int()
    .min(1)
    .max(32 * 1024 * 1024)
    .default(256 * 1024),
});

export function evidenceRoutes({ context }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });

  return new Hono<RunsEnv>()
    .get("/:id/events", async (c) => {
      const id = idOf(c, "Run");
      const found = await runEvents(reader(c), id, queryOf(c, EventQuery));
      if (!found) throw notFound(`Run ${id}`);
      return c.json(found);
    })
    .get("/:id/cost", async (c) => {
      const id = idOf(c, "Run");
      const found = await runCost(reader(c), id);
      if (!found) throw notFound(`Run ${id}`);
      return c.json(found);
    })
    .get("/:id/diff", async (c) => {
      const run = await visibleRun(reader(c), idOf(c, "Run"));
      const kept = run.host === context.host ? undefined : await readRunFile(reader(c), run.id, "diff");
      if (kept !== undefined) return c.json(JSON.parse(kept));
      return c.json(await runDiff(context, await bringHere(context, run)));
    })
    .get("/:id/comparison", async (c) => {
      const run = await bringHere(context, await visibleRun(reader(c), idOf(c, "Run")));
      return c.json(await compareRuns(context, reader(c), run));
    })
    .get("/:id/diff/picture", async (c) => {
      const run = await bringHere(context, await visibleRun(reader(c), idOf(c, "Run")));
      const { path, side } = queryOf(c, PictureQuery);
      const bytes = await runPicture(context, run, path, side);
      if (!bytes) throw notFound(`A picture ${path}`, `See what there is: devflow run diff ${run.id} --stat`);
      return download("picture", bytes, "application/octet-stream");
    })
    .get("/:id/commands/:command/log", async (c) => {
      const run = await visibleRun(reader(c), idOf(c, "Run"));
      const commandId = idOf(c, "Command", "command");
      const { bytes } = queryOf(c, LogQuery);
      const files = await commandLogFiles(reader(c), run.id, commandId);
      // On another machine: its end is in Postgres.
      const isHere = run.host === context.host;
      const found = files && (isHere ? await readCommandLog(files, bytes) : keptLog(files));
      if (!found) throw notFound(`The log of command ${commandId}`, `See what there is: devflow run show ${run.id}`);
      return c.json(found);
    })
    .get("/:id/report.md", (c) => report(c, "md"))
    .get("/:id/report.json", (c) => report(c, "json"))
    .get("/:id/artifacts/:artifact/content", async (c) => {
      const id = idOf(c, "Run");
      const artifactId = idOf(c, "Artifact", "artifact");
      const found = await artifactContent(reader(c), id, artifactId);
      const next = `See what there is: devflow run show ${id}`;
      if (!found) throw notFound(`Artifact ${artifactId}`, next);
      if (found.content === null) throw notFound(`Readable content of ${found.name}`, next);
      return download(found.name, found.content, "text/plain");
    });

  async function report(c: RunsContext, form: "md" | "json"): Promise<Response> {
    const run = await visibleRun(reader(c), idOf(c, "Run"));
    const kept = run.host === context.host ? undefined : await readRunFile(reader(c), run.id, `report.${form}`);
    const type = form === "md" ? "text/markdown" : "application/json";
    if (kept !== undefined) return download(`${run.id}.report.${form}`, kept, type);
    requireHere(run, context.host);
    const next = "It is written when the run ends: devflow run watch";
    if (run.reportPath === null) throw notFound(`The report of run ${run.id}`, next);
    const path = run.reportPath.replace(/\.json$/, `.${form}`);
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) throw notFound(`The report ${path}`, `See what is known: devflow run show ${run.id}`);
    return download(`${run.id}.report.${form}`, text, type);
  }
}
