/**
 * `jsonObjectsIn(text)` the objects written in a text: JSON, or what models write instead of it (comments, single quotes,
 * names without quotes, a last brace that is missing).
 */
import { parse } from "yaml";

const maxLength = 100_000;
const maxAttempts = 2_000;

export function jsonObjectsIn(text: string): object[] {
  const found: object[] = [];
  let attempts = 0;
  for (let start = text.indexOf("{"); start !== -1; start = text.indexOf("{", start + 1)) {
    let depth = 0;
    const limit = Math.min(start + maxLength, text.length);
    for (let at = start; at < limit; at += 1) {
      if (text[at] === "{") depth += 1;
      else if (text[at] === "}") depth -= 1;
      const isCut = at === limit - 1;
      if (depth > 0 && !isCut) continue;
      if (++attempts > maxAttempts) return found;
      const value = objectFrom(text.slice(start, at + 1) + "}".repeat(depth));
      if (value) {
        found.push(value);
        start = at;
      }
      break;
    }
  }
  return found;
}

function objectFrom(source: string): object | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // It may still be YAML, of which JSON with comments and loose quotes is a part.
  }
  try {
    const value: unknown = parse(withoutSlashComments(source), { maxAliasCount: 100, logLevel: "silent" });
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `// …` at the end of a line becomes `# …`. */
function withoutSlashComments(source: string): string {
  return source
    .split("\n")
    .map((line) => line.replace(/(^|[^:"'\\])\/\/(.*)$/, "$1#$2"))
    .join("\n");
}
