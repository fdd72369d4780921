/**
 * Handles every request in the same order: check it, identify its caller, find its mount and load it if it is the first
 * request there. Every error becomes a JSON response.
 *
 * - `serverApp(parts)` `handle(request, server)` for any web-standard server; nothing here listens.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import { Hono } from "hono";
import type { CallerIdentification } from "./auth/identify-caller.ts";
import { Refusal } from "./data-plane/failure.ts";
import { Unmatched } from "./mounts/mounted-routes.ts";
import type { Mounts } from "./mounts/mounts.ts";
import { type MountAccess, type MountName, methodAt, mountAt, mountTable } from "./mounts/table.ts";
import { failureAnswer } from "./request-checks/failure-answer.ts";
import { logRequest } from "./request-checks/log-request.ts";
import { checkRequest, isServicePath } from "./request-checks/request-checks.ts";
import { securityHeaders } from "./request-checks/security-headers.ts";
import type { ServerEnv } from "./server-env.ts";

export interface AppParts {
  readonly hosts: () => ReadonlySet<string>;
  readonly callers: CallerIdentification;
  readonly log: Log;
  readonly mounts: Pick<Mounts, "has" | "get">;
  /** The error for a row of the table that is not mounted here; by default, not found. */
  readonly missing?: (name: MountName) => DevflowError;
  /** The person of this machine; a team server has none. */
  readonly ownerId?: string;
  /** The origins of the web app's own pages, if they are fewer than the hosts. */
  readonly origins?: ReadonlySet<string>;
  /** The command that signs a caller in. */
  readonly signIn?: string;
  /** Headers of every response besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly observe?: (mount: MountName | "web", status: number, ms: number) => void;
  readonly serveAsset: (request: Request) => Response;
}

export type Handle = (request: Request, server: ServerEnv["Bindings"]["server"]) => Promise<Response>;

export function serverApp(parts: AppParts): Handle {
  const { signIn = "devflow open" } = parts;
  const app = new Hono<ServerEnv>();
  app.use(async (c, next) => {
    c.set("logged", {});
    const started = performance.now();
    await next();
    const ms = performance.now() - started;
    logRequest(parts.log, c.req.raw, c.req.path, c.res.status, ms, c.var.logged);
    parts.observe?.(mountAt(c.req.path) ?? "web", c.res.status, ms);
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
      parts.origins,
    );
    if (problem) throw refused(problem);
    await next();
  });
  app.use(async (c, next) => {
    const row = rowAt(c.req.path);
    if (isServicePath(c.req.path) && row?.access !== "anyone" && row?.access !== "own") {
      const found = await parts.callers.identify(c.req.raw.headers.get("authorization"));
      if (!found.ok) {
        throw new DevflowError("unauthenticated", { details: { reason: `token ${found.reason}`, next: signIn } });
      }
      const name = mountAt(c.req.path);
      if (name && !parts.mounts.has(name) && parts.missing) throw parts.missing(name);
      const problem = accessProblem(row?.access ?? "members", found.caller.claims, parts.ownerId);
      if (problem) throw notAllowed(problem, row?.title ?? "", signIn);
      c.set("caller", found.caller);
      c.var.logged.userId = found.caller.claims.sub;
    }
    await next();
  });
  app.all("*", async (c) => {
    const { path, raw } = c.req;
    const name = mountAt(path);
    if (name && !parts.mounts.has(name) && parts.missing) throw parts.missing(name);
    if (name && parts.mounts.has(name)) {
      const { answer } = await parts.mounts.get(name);
      const found = await matched(answer(raw, { ...c.env, caller: c.var.caller, logged: c.var.logged }));
      if (found) return found;
    }
    const allowed = methodAt(path);
    if (allowed && c.req.method !== allowed) throw wrongMethod(path, c.req.method, allowed);
    return parts.serveAsset(raw);
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
    // A download sets a stricter policy; nothing sets a weaker one.
    for (const [name, value] of Object.entries({ ...securityHeaders, ...parts.headers })) {
      if (name !== "content-security-policy" || !answer.headers.has(name)) answer.headers.set(name, value);
    }
    return answer;
  };
}

function rowAt(path: string) {
  const name = mountAt(path);
  return name && mountTable[name];
}

/** Undefined when none of the mount's routes matches the request. */
async function matched(answer: Promise<Response>): Promise<Response | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Unmatched) return undefined;
    throw error;
  }
}

const accessProblems = ["anonymous", "not the owner"] as const;
type AccessProblem = (typeof accessProblems)[number];

/** On the data plane the database decides what anonymous callers may call; everything else is refused for them. */
function accessProblem(
  access: MountAccess,
  claims: { readonly role: string; readonly sub?: string | undefined },
  ownerId: string | undefined,
): AccessProblem | undefined {
  if (claims.role === "anon" && access !== "key") return "anonymous";
  return access === "owner" && claims.sub !== ownerId ? "not the owner" : undefined;
}

function notAllowed(problem: AccessProblem, title: string, signIn: string): DevflowError {
  const details =
    problem === "anonymous"
      ? { problem: "An anonymous key opens the data plane only.", next: `Sign in: ${signIn}` }
      : { problem: `${title} on this machine are only available to its owner.`, next: "" };
  return new DevflowError("forbidden", { details });
}

function refused(problem: string): DevflowError {
  return new DevflowError("forbidden", {
    details: {
      problem: `This request was refused: ${problem}.`,
      next: "If you use port forwarding, allow its host: devflow up --allow-host <host:port>",
    },
  });
}

function wrongMethod(path: string, method: string, allowed: string): DevflowError {
  return new DevflowError("method_not_allowed", { details: { path, method, allowed } });
}

/** Postgres's additions to an error (detail, where) may contain row content, which must not be logged. */
function loggable(error: unknown): unknown {
  return error instanceof Refusal ? { type: "Refusal", code: error.body.code, message: error.message } : error;
}

function codeOf(error: unknown): string {
  const known = error as { body?: { code?: string }; code?: string };
  return known.body?.code ?? known.code ?? "internal";
}
