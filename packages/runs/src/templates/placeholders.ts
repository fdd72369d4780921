/**
 * `{{…}}` in a phase's instructions.
 *
 * - `placeholdersIn(instructions)` each of them with its position. `parsePlaceholder(inner)` what it means.
 */
export type Placeholder =
  | { readonly kind: "requirements" | "findings" | "comment" }
  | { readonly kind: "artifact" | "log"; readonly phase: string };

/** Anything between two pairs of braces on one line counts, so that a misspelled one is reported and not sent to an agent. */
export const placeholderPattern = /\{\{([^{}\n]*)\}\}/g;

export function placeholdersIn(instructions: string): string[] {
  return [...instructions.matchAll(placeholderPattern)].map((match) => match[1] ?? "");
}

export function parsePlaceholder(inner: string): Placeholder | undefined {
  if (inner === "requirements" || inner === "findings" || inner === "comment") return { kind: inner };
  const [kind, phase, ...more] = inner.split(":");
  if ((kind === "artifact" || kind === "log") && phase && more.length === 0) return { kind, phase };
  return undefined;
}

export const knownPlaceholders = [
  "{{requirements}}",
  "{{artifact:<phase>}}",
  "{{findings}}",
  "{{comment}}",
  "{{log:<phase>}}",
] as const;
