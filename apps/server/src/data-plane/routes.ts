/**
 * `/rest/v1/rpc/:fn`: every operation on a team's data, with PostgREST's semantics, so that its clients work unchanged.
 * POST calls any function, GET and HEAD those that only read, in a read-only transaction.
 */
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import type { Database } from "@devflow/db";
import { Hono } from "hono";
import { readBody } from "../request-checks/read-body.ts";
import type { ServerEnv } from "../server-env.ts";
import { callAnswer } from "./call-answer.ts";
import { argumentsOf, argumentsOfQuery, type CallArguments } from "./call-arguments.ts";
import { callFunction } from "./call-function.ts";
import { Refusal, refusalOf } from "./failure.ts";
import { type FunctionCatalogue, functionCatalogue } from "./function-catalogue.ts";
import { type ApiFunction, resolveFunction } from "./resolve-function.ts";
import { resultShapeOf, type ShapedRequest } from "./result-shape.ts";

export interface DataPlaneOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: { readonly bodyBytes: number; readonly rows: number };
  /** Called after each committed write, with the team if the arguments name one. */
  readonly wrote: (teamId: string | undefined) => void;
}

export function dataPlaneRoutes(options: DataPlaneOptions): Hono<ServerEnv> {
  const catalogue = functionCatalogue(options.database, options.clock);
  return new Hono<ServerEnv>().all("/rpc/:fn", async (c) => {
    const request = c.req.raw;
    const name = c.req.param("fn");
    const { claims } = c.var.caller;
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead && request.method !== "POST") throw wrongMethod(c.req.path, request.method);
    checkProfile(request);
    const shaped = resultShapeOf({
      method: request.method,
      headers: request.headers,
      parameters: new URL(request.url).searchParams,
    });
    const given = isRead ? argumentsOfQuery(shaped.queryArguments) : await bodyArguments(request, options);
    const fn = await find(catalogue, name, given, claims.role);
    c.var.logged.fn = fn.name;
    checkShape(fn, shaped, request.method);
    try {
      const result = await callFunction({ ...options, claims, fn, given, shape: shaped.shape, isRead });
      if (!isRead && !fn.isReadOnly) options.wrote(given.teamId);
      return callAnswer({ fn, result, shape: shaped.shape, isHead: request.method === "HEAD" });
    } catch (error) {
      const refusal = refusalOf(error, claims.role);
      // The function was changed after it was cached: the next call sees the new one.
      if (refusal?.body.code === "42883") await catalogue.refresh();
      throw refusal ?? error;
    }
  });
}

async function bodyArguments(request: Request, { limits }: DataPlaneOptions): Promise<CallArguments> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = await readBody(request, limits.bodyBytes);
  if (text !== "" && type !== "application/json") {
    throw new Refusal(415, {
      code: "PGRST102",
      message: `Content-Type not acceptable: ${type ?? "none"}`,
      hint: "Send application/json.",
    });
  }
  return argumentsOf(text);
}

/** An unknown name may be a function newer than the cache, so the catalogue is read once more. */
async function find(
  catalogue: FunctionCatalogue,
  name: string,
  given: CallArguments,
  role: "anon" | "authenticated",
): Promise<ApiFunction> {
  try {
    return resolveFunction(await catalogue.functions(), name, given.names, role);
  } catch (error) {
    if (!(error instanceof Refusal) || error.body.code !== "PGRST202" || !(await catalogue.refresh())) throw error;
    return resolveFunction(await catalogue.functions(), name, given.names, role);
  }
}

/** supabase-js names the schema in a header, by default `public`. */
function checkProfile(request: Request): void {
  const header = request.method === "POST" ? "content-profile" : "accept-profile";
  const profile = request.headers.get(header);
  if (profile === null || profile === "api") return;
  throw new Refusal(406, {
    code: "PGRST106",
    message: `The schema must be api, not ${profile}`,
    hint: "Create the client with createClient(url, key, { db: { schema: 'api' } }), or call .schema('api').rpc(…)",
  });
}

function checkShape(fn: ApiFunction, { shape }: ShapedRequest, method: string): void {
  if (method !== "POST" && !fn.isReadOnly) {
    throw new Refusal(405, {
      code: "25006",
      message: `api.${fn.name} writes, so it cannot be called by ${method}`,
      hint: "Call it by POST.",
    });
  }
  if (fn.result === "row") return;
  if (shape.select || shape.filters.length > 0 || shape.order.length > 0) {
    throw new Refusal(400, {
      code: "PGRST100",
      message: `api.${fn.name} returns no rows with columns, so there is nothing to select, filter or order`,
    });
  }
}

function wrongMethod(path: string, method: string): DevflowError {
  return new DevflowError("method_not_allowed", { details: { path, method, allowed: "POST, GET or HEAD" } });
}
