/** What a request contains: the caller, the channel, and a validated body. */
import { DevflowError } from "@devflow/core/errors";
import { isUuid } from "@devflow/core/ids";
import { nearest } from "@devflow/core/nearest";
import type { Claims } from "@devflow/db";
import { safeJson } from "@devflow/redact";
import type { Context } from "hono";
import { z } from "zod";
import type { Actor } from "../events/actor.ts";
import { notFound } from "../views/index.ts";

/** The server sets the caller before any of these routes runs. */
export interface RunsEnv {
  Variables: { caller: { readonly claims: Claims } };
}

export type RunsContext = Context<RunsEnv>;

const channels = ["cli", "web", "api"] as const;

/**
 * A caller that names a session is an agent, whatever its token: the header can only remove rights. Without it the caller
 * is the person of the token; this is detection, not a sandbox.
 */
export function actorOf(c: RunsContext): Actor {
  const via = channels.find((channel) => channel === (c.req.header("x-devflow-via") ?? "api"));
  if (!via) throw invalid(`x-devflow-via must be one of: ${channels.join(", ")}.`);
  const isAgent = Boolean(c.req.header("x-devflow-session"));
  return { userId: c.var.caller.claims.sub ?? null, kind: isAgent ? "agent" : "human", via };
}

export function refuseAgent({ kind }: Actor): void {
  if (kind === "agent") throw new DevflowError("agent_may_not_decide");
}

export async function bodyOf<S extends z.ZodObject>(c: RunsContext, schema: S): Promise<z.output<S>> {
  const text = await c.req.text();
  let given: unknown;
  try {
    given = JSON.parse(text || "{}");
  } catch {
    throw invalid("The body is not JSON.");
  }
  return parsed(schema, safeJson(given).value);
}

export function queryOf<S extends z.ZodObject>(c: RunsContext, schema: S): z.output<S> {
  return parsed(schema, safeJson(c.req.query()).value);
}

export function idOf(c: RunsContext, what: string, name = "id"): string {
  const id = c.req.param(name) ?? "";
  if (!isUuid(id)) throw notFound(`${what} ${id}`);
  return id.toLowerCase();
}

export const page = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

/** A field that is not known is refused: a misspelled one would otherwise be ignored silently. */
function parsed<S extends z.ZodObject>(schema: S, given: unknown): z.output<S> {
  const result = schema.strict().safeParse(given);
  if (result.success) return result.data as z.output<S>;
  throw invalid(result.error.issues.map((issue) => describe(issue, Object.keys(schema.shape))).join("; "));
}

function describe(issue: z.core.$ZodIssue, known: readonly string[]): string {
  const place = issue.path.join(".");
  if (issue.code !== "unrecognized_keys") return `${place || "body"}: ${issue.message}`;
  return issue.keys
    .map((key) => {
      const meant = place === "" ? nearest(key, known) : undefined;
      return `unknown field "${place ? `${place}.` : ""}${key}"${meant ? `; did you mean "${meant}"?` : ""}`;
    })
    .join("; ");
}

export function invalid(problem: string, next = ""): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next } });
}
