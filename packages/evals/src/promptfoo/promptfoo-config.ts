/**
 * `isPromptfooConfig(text)` whether a YAML or JSON file is a promptfoo suite, and not a file of cases.
 *
 * Of block YAML only the names of the top level are looked at: a suite may have thousands of tests, and `eval check` asks this of
 * every file that it gets. Loads nothing else.
 */
import { parseJson } from "@devflow/core/read-if-there";

export async function isPromptfooConfig(text: string): Promise<boolean> {
  const top = await topOf(text);
  if (typeof top !== "object" || top === null || Array.isArray(top) || "cases" in top) return false;
  return "prompts" in top || (("providers" in top || "targets" in top) && ("tests" in top || "scenarios" in top));
}

/** Its members, or at least their names. */
async function topOf(text: string): Promise<unknown> {
  if (!/^(?:\s|#.*\n)*[[{]/.test(text)) return isOneDocument(text) ? blockNames(text) : undefined;
  const json = parseJson(text);
  if (json !== undefined) return json;
  const { readYaml } = await import("../cases/index.ts");
  const { documents } = readYaml(new TextEncoder().encode(text), "");
  return documents.length === 1 ? documents[0]?.value : undefined;
}

const isOneDocument = (text: string): boolean =>
  !/\n---(?:\s|$)/.test(text.replace(/^(?:\s|#.*\n|%.*\n)*---(?=\s|$)/, ""));

/** What stands at the start of a line and ends with a colon. Whatever is inside a member is indented. */
function blockNames(text: string): Record<string, true> {
  const names = text.matchAll(/^(["']?)([A-Za-z_$][\w$-]*)\1[ \t]*:(?=\s|$)/gm);
  return Object.fromEntries([...names].map(([, , name = ""]) => [name, true]));
}
