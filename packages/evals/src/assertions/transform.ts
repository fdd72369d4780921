/**
 * Transforms of outputs and of variables: an expression, a function body, or a function in a file.
 *
 * - `transformed(code, value, about, tools, name)` what the code makes of the value; nothing is an error.
 */
import { CodeFailure } from "../code/index.ts";
import { CannotCheck } from "./assertion.ts";
import { callFile, type ScriptTools, splitReference } from "./suite-file.ts";

export async function transformed(
  code: unknown,
  value: unknown,
  about: Readonly<Record<string, unknown>>,
  tools: ScriptTools,
  name: "output" | "vars" = "output",
): Promise<unknown> {
  if (typeof code !== "string") throw new CannotCheck("a transform must be a text");
  try {
    const found = await run(code, value, about, tools, name);
    if (found === null || found === undefined) throw new CannotCheck(`the transform returned nothing: ${shown(code)}`);
    return found;
  } catch (error) {
    if (error instanceof CodeFailure) throw new CannotCheck(`the transform failed: ${error.message}: ${shown(code)}`);
    throw error;
  }
}

async function run(
  code: string,
  value: unknown,
  about: Readonly<Record<string, unknown>>,
  tools: ScriptTools,
  name: "output" | "vars",
): Promise<unknown> {
  if (!code.startsWith("file://")) {
    const body = code.includes("\n") ? code : `return ${code}`;
    return await tools.code.run({ kind: "inline", parameters: [name, "context"], body, args: [value, about] });
  }
  const called = await callFile(splitReference(code, tools.folder), "get_transform", tools, [value, about]);
  if (!called) throw new CannotCheck(`${code} is neither JavaScript nor Python`);
  return called.value;
}

const shown = (code: string): string => code.replace(/\s+/g, " ").trim().slice(0, 80);
