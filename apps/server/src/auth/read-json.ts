/** The body of a sign-in request by its contract; anything else is `input_invalid` with the first problem. */
import { DevflowError } from "@devflow/core/errors";
import type { z } from "zod";
import { readBody } from "../request-checks/read-body.ts";

const maxBodyBytes = 8192;

export async function readJson<S extends z.ZodObject>(request: Request, contract: S): Promise<z.output<S>> {
  const text = await readBody(request, maxBodyBytes);
  let value: unknown;
  try {
    value = JSON.parse(text || "{}");
  } catch {
    value = undefined;
  }
  const parsed = contract.strict().safeParse(value);
  if (parsed.success) return parsed.data as z.output<S>;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".");
  throw new DevflowError("input_invalid", {
    details: { problem: `The request is not valid: ${where ? `${where}: ` : ""}${issue?.message ?? ""}.`, next: "" },
  });
}
