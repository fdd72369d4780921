/** Validates requests of the eval screens. */
import { DevflowError } from "@devflow/core/errors";
import { safeJson } from "@devflow/redact";
import type { Context } from "hono";
import { z } from "zod";

/** The server that mounts the routes has identified the caller; a stream ends when the caller's token expires. */
export interface EvalsEnv {
  Bindings: { readonly server?: { timeout(request: Request, seconds: number): void } };
  Variables: { caller?: { readonly expiresAtMs?: number } };
}

export const Name = z.string().min(1).max(2000);
export const Flag = z
  .enum(["", "1", "0", "true", "false"])
  .transform((text) => text === "" || text === "1" || text === "true");
export const Whole = (most: number) => z.coerce.number().int().min(0).max(most);

/** A name that is not known is refused: a misspelled filter would otherwise be ignored silently. */
export function queryOf<S extends z.ZodObject>(c: Context<EvalsEnv>, schema: S): z.output<S> {
  const result = schema.strict().safeParse(safeJson(c.req.query()).value);
  if (result.success) return result.data as z.output<S>;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || "query"}: ${message}`);
  throw new DevflowError("input_invalid", { details: { problem: problems.join("; "), next: "" } });
}

/** A decoded part of the path. */
export function partOf(c: Context<EvalsEnv>, name: string): string {
  return safeJson(c.req.param(name) ?? "").value as string;
}

export function ordinalOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new DevflowError("not_found", { details: { what: `Result "${text}"`, next: "devflow eval list" } });
}
