/**
 * Every route behind one door: the request is checked, its caller identified, and whatever fails is answered in JSON.
 *
 * - `serverApp(parts)` `handle(request, server)` for any web-standard server; nothing here listens.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { Hono } from "hono";
import type { CallerIdentification } from "./auth/identify-caller.ts";
import type { BrowseMount } from "./browse-mount.ts";
import { Refusal } from "./data-plane/failure.ts";
import { failureAnswer, isDataPlane } from "./door/failure-answer.ts";
import { logRequest } from "./door/log-request.ts";
import { checkRequest, isServicePath } from "./door/request-checks.ts";
import { securityHeaders } from "./door/security-headers.ts";
import type { EvalsMount } from "./evals-mount.ts";
import type { RunsMount } from "./runs-mount.ts";
import type { ServerEnv } from "./server-env.ts";

export interface AppParts {
  readonly hosts: () => ReadonlySet<string>;
  readonly callers: CallerIdentification;
  readonly log: Log;
  readonly routes: {
    readonly dataPlane: Hono<ServerEnv>;
    readonly auth: Hono<ServerEnv>;
    readonly live: Hono<ServerEnv>;
    readonly api: Hono<ServerEnv>;
    readonly runs?: RunsMount["routes"] | undefined;
    readonly evals?: Pick<EvalsMount, "api" | "live"> | undefined;
    readonly browse?: BrowseMount | undefined;
  };
  /** Whose evals and browsers they are: they are this machine's, and know no members. */
  readonly ownerId: string;
  readonly serveAsset: (request: Request) => Response;
}

export type Handle = (request: Request, server: ServerEnv["Bindings"]["server"]) => Promise<Response>;

/** Without a token: that the server lives, and spending a one-time code. */
const tokenless = new Set(["/health", "/auth/exchange"]);

export function serverApp(parts: AppParts): Handle {
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    c.set("logged", {});
    const started = performance.now();
    await next();
    logRequest(parts.log, c.req.raw, c.req.path, c.res.status, performance.now() - started, c.var.logged);
  });
  app.use(async (c, next) => {
    const { headers, method } = c.req.raw;
    const problem = checkRequest(
      {
        method,
        path: c.req.path,
        host: headers.get("host"),
        origin: headers.get("origin"),
        fetchSite: headers.get("sec-fetch-site"),
        fetchMode: headers.get("sec-fetch-mode"),
        fetchDest: headers.get("sec-fetch-dest"),
      },
      parts.hosts(),
    );
    if (problem) throw refused(problem);
    await next();
  });
  app.use(async (c, next) => {
    if (isServicePath(c.req.path) && !tokenless.has(c.req.path)) {
      const found = await parts.callers.identify(c.req.raw.headers.get("authorization"));
      if (!found.ok) throw new DevflowError("unauthenticated", { details: { reason: `token ${found.reason}` } });
      if (found.caller.claims.role === "anon" && !isDataPlane(c.req.path)) throw membersOnly();
      c.set("caller", found.caller);
      c.var.logged.userId = found.caller.claims.sub;
    }
    await next();
  });

  app.get("/health", (c) => c.json({ ok: true }, 200, { "cache-control": "no-store" }));
  app.route("/rest/v1", parts.routes.dataPlane);
  app.route("/auth", parts.routes.auth);
  app.route("/sse", parts.routes.live);
  app.route("/api", parts.routes.api);
  if (parts.routes.runs) app.route("/api", parts.routes.runs);
  if (parts.routes.evals) {
    for (const path of ["/api/evals/*", "/sse/evals/*"]) {
      app.use(path, async (c, next) => {
        if (c.var.caller.claims.sub !== parts.ownerId) throw ownersOnly("The eval results");
        await next();
      });
    }
    app.route("/api/evals", parts.routes.evals.api);
    app.route("/sse/evals", parts.routes.evals.live);
  }
  if (parts.routes.browse) {
    app.use("/api/browse/*", async (c, next) => {
      if (c.var.caller.claims.sub !== parts.ownerId) throw ownersOnly("The browsers");
      await next();
    });
    app.route("/api/browse", parts.routes.browse);
  }
  app.all("*", (c) => {
    const allowed = allowedMethod(c.req.path);
    if (allowed && c.req.method !== allowed) throw wrongMethod(c.req.path, c.req.method, allowed);
    return parts.serveAsset(c.req.raw);
  });
  app.onError((error, c) => {
    const answer = failureAnswer(error, c.req.path);
    c.var.logged.code = codeOf(error);
    if (answer.status >= 500)
      parts.log.error({ err: loggable(error), path: c.req.path.slice(0, 200) }, "request failed");
    return answer;
  });

  return async (request, server) => {
    const answer = await app.fetch(request, { server });
    // A download brings a stricter policy of its own; nothing brings a weaker one.
    for (const [name, value] of Object.entries(securityHeaders)) {
      if (name !== "content-security-policy" || !answer.headers.has(name)) answer.headers.set(name, value);
    }
    return answer;
  };
}

/** For routes that exist with one method only; a wrong one is told which. */
function allowedMethod(path: string): string | undefined {
  if (/^\/api\/(?:evals|browse)\//.test(path)) return "GET";
  if (/^\/(?:health|api\/(?:status|commands)|sse\/global|sse\/(?:team|runs|evals)\/[^/]+)$/.test(path)) return "GET";
  if (/^\/auth\/(?:code|exchange|token)$/.test(path)) return "POST";
  return undefined;
}

function ownersOnly(what: string): DevflowError {
  return new DevflowError("forbidden", {
    details: { problem: `${what} on this machine are for the person of this machine.`, next: "" },
  });
}

/** On the data plane the database decides what a stranger may call; nothing else is for strangers. */
function membersOnly(): DevflowError {
  return new DevflowError("forbidden", {
    details: { problem: "An anonymous key opens the data plane only.", next: "On this machine: devflow open" },
  });
}

function refused(problem: string): DevflowError {
  return new DevflowError("forbidden", {
    details: {
      problem: `This request was refused: ${problem}.`,
      next: "Behind a forwarded port, name it: devflow up --allow-host <host:port>",
    },
  });
}

function wrongMethod(path: string, method: string, allowed: string): DevflowError {
  return new DevflowError("method_not_allowed", { details: { path, method, allowed } });
}

/** What Postgres adds to a failure (detail, where) may hold a row's content, which has no business in the log. */
function loggable(error: unknown): unknown {
  return error instanceof Refusal ? { type: "Refusal", code: error.body.code, message: error.message } : error;
}

function codeOf(error: unknown): string {
  const known = error as { body?: { code?: string }; code?: string };
  return known.body?.code ?? known.code ?? "internal";
}
