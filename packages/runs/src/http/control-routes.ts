/** `/runs/:id/{fork,pause,resume,abort,say,adopt,findings,verify,pr,cleanup,purge}`: actions on a run; `/runs/prune`: on all that have ended. */
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import {
  AdoptRequest,
  CleanupRequest,
  ControlRequest,
  ForkRequest,
  PruneRequest,
  PullRequestRequest,
  PurgeRequest,
  SayRequest,
  WaiverRequest,
} from "@devflow/protocol";
import { Hono } from "hono";
import { cleanUpRun } from "../care/clean-up-run.ts";
import { pruneRuns } from "../care/prune-runs.ts";
import { purgeRun } from "../care/purge-run.ts";
import { bringHere, runElsewhere } from "../fleet/bring-here.ts";
import { openPullRequest } from "../pull-request/open-pull-request.ts";
import { verifyRun } from "../reports/verify-run.ts";
import type { RunsParts } from "../routes.ts";
import { runDetail, type VisibleRun, visibleRun } from "../views/index.ts";
import { overridesOf } from "./overrides.ts";
import { actorOf, bodyOf, invalid, type RunsContext, type RunsEnv } from "./request.ts";

export function controlRoutes({ engine, context }: RunsParts): Hono<RunsEnv> {
  const { database } = context;
  const told = async (c: RunsContext): Promise<VisibleRun> => {
    const run = await visibleRun({ database, claims: c.var.caller.claims }, c.req.param("id") ?? "");
    requireDriven(run, context.host);
    return run;
  };
  const answer = async (c: RunsContext, { id }: VisibleRun) =>
    c.json(await runDetail({ database, claims: c.var.caller.claims }, id));

  return new Hono<RunsEnv>()
    .post("/prune", async (c) => {
      const request = await bodyOf(c, PruneRequest);
      const runs = await pruneRuns(context, { database, claims: c.var.caller.claims }, request, actorOf(c));
      return c.json({ dryRun: request.dryRun, runs });
    })
    .post("/:id/fork", async (c) => {
      const { id: runId } = await told(c);
      const given = await bodyOf(c, ForkRequest);
      const overrides = overridesOf(given.overrides);
      const started = await engine.forkRun({ ...given, runId, overrides }, actorOf(c));
      return c.json({ ...started, ignoredFiles: [] }, started.created ? 201 : 200);
    })
    .post("/:id/pause", async (c) => {
      const run = await told(c);
      const { clientToken, hard } = await bodyOf(c, ControlRequest);
      await engine.pauseRun(run.id, { clientToken, hard }, actorOf(c));
      return await answer(c, run);
    })
    .post("/:id/resume", async (c) => {
      const run = await told(c);
      const { clientToken } = await bodyOf(c, ControlRequest);
      await engine.resumeRun(run.id, { clientToken }, actorOf(c));
      return await answer(c, run);
    })
    .post("/:id/abort", async (c) => {
      const run = await told(c);
      const { reason } = await bodyOf(c, ControlRequest);
      const actor = actorOf(c);
      await engine.abortRun(run.id, { reason: reason ?? `aborted manually (${actor.via})` }, actor);
      return await answer(c, run);
    })
    .post("/:id/say", async (c) => {
      const run = await told(c);
      await engine.say(run.id, await bodyOf(c, SayRequest), actorOf(c));
      return await answer(c, run);
    })
    .post("/:id/findings/:finding/waiver", async (c) => {
      const run = await told(c);
      const findingId = c.req.param("finding");
      const { reason } = await bodyOf(c, WaiverRequest);
      await engine.waiveFinding({ runId: run.id, findingId, reason }, actorOf(c));
      const detail = await runDetail({ database, claims: c.var.caller.claims }, run.id);
      return c.json(
        detail?.findings.find((one) => one.id === findingId),
        201,
      );
    })
    .post("/:id/adopt", async (c) => {
      const run = await visibleRun({ database, claims: c.var.caller.claims }, c.req.param("id") ?? "");
      await engine.adoptRun(run.id, await bodyOf(c, AdoptRequest), actorOf(c));
      return await answer(c, run);
    })
    .post("/:id/verify", async (c) => c.json(await verifyRun(context, (await told(c)).id)))
    .post("/:id/pr", async (c) => {
      const run = await bringHere(context, await told(c));
      return c.json(await openPullRequest(context, run, await bodyOf(c, PullRequestRequest), actorOf(c)));
    })
    .post("/:id/cleanup", async (c) => {
      const run = await told(c);
      return c.json(await cleanUpRun(context, run, await bodyOf(c, CleanupRequest), actorOf(c)));
    })
    .post("/:id/purge", async (c) => {
      const run = await told(c);
      if (run.role === "member") {
        const next = "Ask an owner or admin of the team.";
        throw new DevflowError("forbidden", { details: { problem: "Only admins may purge a run.", next } });
      }
      const { confirm } = await bodyOf(c, PurgeRequest);
      if (confirm !== run.id) {
        const next = `To confirm: devflow run purge ${shortId(run.id)} --confirm ${run.id}`;
        throw invalid("Purged content cannot be restored, so the run's id is required as confirmation.", next);
      }
      return c.json(await purgeRun(context, run.id, actorOf(c)));
    });
}

/** For verbs that only commit: the driver of a run on Temporal hears of them wherever it is. */
export function requireDriven(run: VisibleRun, host: string): void {
  if (run.engine !== "temporal") requireHere(run, host);
}

/** Only the machine that executes a run may control it; its files are there too. */
export function requireHere(run: VisibleRun, host: string): void {
  if (run.host !== host) throw runElsewhere(run);
}
