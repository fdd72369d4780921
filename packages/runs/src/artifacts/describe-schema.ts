/**
 * A schema described for an agent: one line per member, then an example. Shorter than the schema, and enough to write a
 * valid file at the first attempt.
 *
 * - `describeSchema(schema)` lines such as `- severity (one of "low", "high"; may be left out): how bad it is`.
 */
import type { JsonSchema } from "./schema-registry.ts";

export function describeSchema(schema: JsonSchema): string {
  const lines = [`${schema.title ?? "Artifact"}: ${schema.description ?? ""}`, ...members(schema, "")];
  const example = schema.examples?.[0];
  if (example !== undefined) lines.push("", "Example:", ...JSON.stringify(example, null, 2).split("\n"));
  return lines.join("\n");
}

function members(schema: JsonSchema, indent: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const notes = [kindOf(member), ...(schema.required?.includes(name) ? [] : ["may be left out"])];
    const line = `${indent}- ${name} (${notes.join("; ")}): ${member.description ?? ""}`.trimEnd();
    const entry = member.items ?? member;
    const about =
      member.items?.description && !member.items.properties ? [`${indent}  - each: ${member.items.description}`] : [];
    return [line, ...about, ...members(entry, `${indent}  `)];
  });
}

function kindOf(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`;
  const types = [schema.type ?? "anything"].flat();
  if (types.includes("array")) {
    const least = typeof schema.minItems === "number" && schema.minItems > 0 ? `at least ${schema.minItems} ` : "";
    return `list of ${least}${schema.items ? kindOf(schema.items).replace(/^(object|string|number|integer)$/, "$1s") : "anything"}`;
  }
  return types.join(" or ");
}
