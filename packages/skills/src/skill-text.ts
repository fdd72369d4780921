/**
 * A SKILL.md file: front matter for the host, and the text an agent loads.
 *
 * - `parseSkill(text)` the skill, or what is wrong with it.
 * - `isMadeByDevflow(text)` only these files are ever replaced or removed.
 */
import { z } from "zod";

/** The hosts allow names of up to 64 characters and descriptions of up to 1024. */
const frontMatter = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .max(64),
  description: z.string().min(20).max(1024),
});

export interface Skill extends z.output<typeof frontMatter> {
  readonly text: string;
}

const mark = "Made by Devflow";

export function parseSkill(text: string): { readonly skill: Skill } | { readonly fault: string } {
  const head = /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1];
  if (head === undefined) return { fault: "it has no front matter" };
  // One `name: value` per line is all that the templates use, and all that every host understands.
  const pairs = head.split("\n").map((line) => /^([\w-]+): (.+)$/.exec(line));
  if (pairs.includes(null)) return { fault: "its front matter is not one `name: value` per line" };
  const parsed = frontMatter.safeParse(Object.fromEntries(pairs.map((pair) => [pair?.[1], unquoted(pair?.[2] ?? "")])));
  if (!parsed.success) return { fault: parsed.error.issues.map((one) => `${one.path}: ${one.message}`).join("; ") };
  return { skill: { ...parsed.data, text } };
}

export function isMadeByDevflow(text: string): boolean {
  return text.includes(mark);
}

function unquoted(value: string): string {
  return value.startsWith('"') && value.endsWith('"') ? (JSON.parse(value) as string) : value;
}
