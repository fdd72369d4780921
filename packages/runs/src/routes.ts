/**
 * Runs over HTTP, mounted under `/api`. The contracts are in `@devflow/protocol`.
 *
 * Reads run on behalf of the caller, so row-level security is the membership check. Writes go to the engine, which knows
 * no members, so each first checks that the caller can see the run, and returns 404 if not.
 */
import { DevflowError } from "@devflow/core/errors";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { DefinitionStore } from "./definitions/index.ts";
import type { EngineContext } from "./engine/context.ts";
import type { RunEngine } from "./engine/run-engine.ts";
import { approvalRoutes } from "./http/approval-routes.ts";
import { controlRoutes } from "./http/control-routes.ts";
import { definitionRoutes } from "./http/definition-routes.ts";
import { evidenceRoutes } from "./http/evidence-routes.ts";
import { fleetRoutes } from "./http/fleet-routes.ts";
import type { RunsEnv } from "./http/request.ts";
import { runRoutes } from "./http/run-routes.ts";
import { sessionRoutes } from "./http/session-routes.ts";
import { talkRoutes } from "./http/talk-routes.ts";

export interface RunsParts {
  readonly context: EngineContext;
  readonly engine: RunEngine;
  readonly definitions: DefinitionStore;
}

const maxBodyBytes = 4 * 1024 * 1024;

export function runsRoutes(parts: RunsParts): Hono<RunsEnv> {
  const app = new Hono<RunsEnv>();
  // Only below these: other routes share the same prefix.
  for (const path of ["runs", "approvals", "sessions", "permissions", "templates", "personas", "fleet"]) {
    app.use(`/${path}`, members, limited);
    app.use(`/${path}/*`, members, limited);
  }
  for (const path of ["/templates", "/personas"]) {
    app.get(path, async (_c, next) => {
      await parts.definitions.ensure();
      await next();
    });
  }
  app.route("/runs", talkRoutes(parts));
  app.route("/runs", runRoutes(parts));
  app.route("/runs", controlRoutes(parts));
  app.route("/runs", evidenceRoutes(parts));
  app.route("/", approvalRoutes(parts));
  app.route("/", sessionRoutes(parts));
  app.route("/", definitionRoutes(parts));
  app.route("/fleet", fleetRoutes(parts));
  return app;
}

const members = async (
  c: { var: RunsEnv["Variables"]; header(name: string, value: string): void },
  next: () => Promise<void>,
) => {
  if (c.var.caller.claims.role !== "authenticated") {
    throw new DevflowError("forbidden", { details: { problem: "Only members of a team can use runs.", next: "" } });
  }
  c.header("cache-control", "no-store");
  await next();
};

const limitBody = bodyLimit({
  maxSize: maxBodyBytes,
  onError: () => {
    throw new DevflowError("too_large", { details: { limit: maxBodyBytes } });
  },
});

/** An upload has a limit of its own. */
const limited: typeof limitBody = (c, next) => (c.req.path.endsWith("/runs/attachments") ? next() : limitBody(c, next));
