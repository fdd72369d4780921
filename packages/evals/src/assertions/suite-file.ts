/**
 * Values of a suite that are in files.
 *
 * - `readSuiteFile(reference, tools, args)` the content of `file://…`: a script's value, parsed YAML or JSON, or text.
 * - `splitReference(reference, folder)` its path, and the function after the last colon.
 */
import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { parse } from "yaml";
import { callScript } from "../code/index.ts";
import { type AssertionTools, CannotCheck } from "./assertion.ts";

const maxBytes = 64 * 1024 * 1024;

export function splitReference(reference: string, folder: string): { path: string; name: string | undefined } {
  const bare = reference.replace(/^file:\/\//, "");
  const colon = bare.lastIndexOf(":");
  const hasName = colon > 1 && /^[A-Za-z_$][\w$.]*$/.test(bare.slice(colon + 1));
  return {
    path: resolve(folder, hasName ? bare.slice(0, colon) : bare),
    name: hasName ? bare.slice(colon + 1) : undefined,
  };
}

export const isJavaScript = (path: string): boolean => /\.(?:js|cjs|mjs|ts|cts|mts)$/.test(path);

export type ScriptTools = Pick<AssertionTools, "folder" | "env" | "code" | "signal">;

/** Calls the function that a script file exports. */
export async function callFile(
  { path, name }: { readonly path: string; readonly name: string | undefined },
  usualName: string,
  tools: ScriptTools,
  args: readonly unknown[],
): Promise<{ readonly value: unknown } | undefined> {
  if (isJavaScript(path)) return { value: await tools.code.run({ kind: "module", file: path, name, args }) };
  const language = path.endsWith(".py") ? "python" : path.endsWith(".rb") ? "ruby" : undefined;
  if (!language) return undefined;
  return { value: await callScript(language, { file: path }, name ?? usualName, args, tools) };
}

export async function readSuiteFile(reference: string, tools: ScriptTools, args: readonly unknown[]): Promise<unknown> {
  const at = splitReference(reference, tools.folder);
  const called = await callFile(at, "get_assert", tools, args);
  return called ? called.value : await readPlainFile(at.path);
}

/** YAML and JSON are parsed; everything else is text. */
export async function readPlainFile(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new CannotCheck(`${path} cannot be read: ${cause.code === "ENOENT" ? "it does not exist" : cause.message}`);
  });
  if (bytes.length > maxBytes) throw new CannotCheck(`${path} is larger than ${maxBytes} bytes`);
  const text = bytes.toString("utf8");
  return [".json", ".yaml", ".yml"].includes(extname(path)) ? (parse(text) as unknown) : text.trim();
}
