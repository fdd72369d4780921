/**
 * Formats an artifact's JSON for reading: names become headings, lists of objects become tables, texts stay as they are.
 *
 * - `readArtifact(text)` → its sections, or the plain text if it is not a JSON object.
 */
import { plainWords } from "./run-words.ts";

export type Value =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "list"; readonly items: readonly string[] }
  | { readonly is: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly is: "nothing" }
  | { readonly is: "json"; readonly text: string };
export interface Section {
  readonly name: string;
  readonly value: Value;
}
export type ReadArtifact =
  | { readonly is: "sections"; readonly sections: readonly Section[] }
  | { readonly is: "plain"; readonly text: string };

export function readArtifact(text: string): ReadArtifact {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { is: "plain", text };
  }
  if (!isObject(value)) return { is: "plain", text };
  return {
    is: "sections",
    sections: Object.entries(value).map(([name, member]) => ({ name: wordsOf(name), value: readValue(member) })),
  };
}

function readValue(value: unknown): Value {
  if (value === null || value === "") return { is: "nothing" };
  if (typeof value !== "object") return { is: "text", text: flat(value) };
  if (!Array.isArray(value)) return { is: "json", text: JSON.stringify(value, null, 2) };
  if (value.length === 0) return { is: "nothing" };
  if (value.every((member) => !isObject(member) && !Array.isArray(member))) {
    return { is: "list", items: value.map(flat) };
  }
  if (!value.every(isObject)) return { is: "json", text: JSON.stringify(value, null, 2) };
  const keys = [...new Set(value.flatMap((member) => Object.keys(member)))];
  return {
    is: "table",
    columns: keys.map(wordsOf),
    rows: value.map((member) => keys.map((key) => (Object.hasOwn(member, key) ? flat(member[key]) : ""))),
  };
}

function flat(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((member) => typeof member !== "object")) return value.map(String).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `acceptanceCriteria` → `Acceptance criteria`. */
function wordsOf(name: string): string {
  return plainWords(name.replace(/([a-z0-9])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`));
}
