/** `findPromptfooSuite(input, context)` the path of a promptfoo suite, if that is all that was given. */
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommandContext } from "@devflow/core/command";
import { isPromptfooConfig } from "@devflow/evals/promptfoo-config";
import type { CheckInput } from "./check-input.ts";

const kinds = ["yaml", "yml", "json", "js", "cjs", "mjs", "ts", "cts", "mts"];

export async function findPromptfooSuite(
  { paths, command, run, provider }: CheckInput,
  { cwd }: Pick<CommandContext, "cwd">,
): Promise<string | undefined> {
  const [only] = paths;
  if (only === undefined || paths.length > 1 || command?.length || run || provider.length > 0) return undefined;
  const given = resolve(cwd, only);
  const facts = await stat(given).catch(() => undefined);
  const candidates = facts?.isDirectory() ? kinds.map((kind) => join(given, `promptfooconfig.${kind}`)) : [given];
  for (const path of candidates) {
    if (/\.(?:ya?ml|json)$/.test(path)) {
      const text = await readFile(path, "utf8").catch(() => undefined);
      if (text !== undefined && (await isPromptfooConfig(text))) return path;
    } else if (/promptfooconfig\.[cm]?[jt]s$/.test(path) && (await stat(path).catch(() => undefined))?.isFile())
      return path;
  }
  return undefined;
}
