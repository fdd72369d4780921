/**
 * Skills from templates and command records, so that a skill can name only what exists.
 *
 * - `renderSkills(commands)` name → text of SKILL.md, for every template; throws on an unknown placeholder.
 * - `skillFaults(name, text, commands)` what is wrong with a skill: front matter, size, command lines.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AnyCommand } from "@devflow/core/command";
import { commandLinesIn, devflowFault } from "@devflow/core/command-text";
import { parseSkill } from "../skill-text.ts";
import { placeholders } from "./placeholders.ts";

const templates = fileURLToPath(new URL("../../templates/", import.meta.url));
const ending = ".md.tmpl";

/** In bytes. An agent that loads the skill pays for every line. */
const sizeLimits: Readonly<Record<string, number>> = { browse: 2048 };
const sizeLimit = 8192;

export function renderSkills(commands: readonly AnyCommand[]): ReadonlyMap<string, string> {
  const files = readdirSync(templates).filter((file) => file.endsWith(ending));
  const names = files.map((file) => file.slice(0, -ending.length)).sort();
  return new Map(
    names.map((name) => [name, renderSkill(name, readFileSync(`${templates}${name}${ending}`, "utf8"), commands)]),
  );
}

export function renderSkill(name: string, template: string, commands: readonly AnyCommand[]): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, placeholder: string) => {
    const fill = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
    if (!fill) {
      const known = Object.keys(placeholders).join(", ");
      throw new Error(`${name}${ending} uses the unknown placeholder {{${placeholder}}}. Known: ${known}`);
    }
    return fill({ skill: name, commands });
  });
}

export function skillFaults(name: string, text: string, commands: readonly AnyCommand[]): string[] {
  const parsed = parseSkill(text);
  if ("fault" in parsed) return [`${name}: ${parsed.fault}`];
  const limit = sizeLimits[name] ?? sizeLimit;
  const bytes = Buffer.byteLength(text);
  return [
    ...(parsed.skill.name === name ? [] : [`${name}: the front matter names it ${parsed.skill.name}`]),
    ...(bytes > limit ? [`${name}: ${bytes} bytes, more than the limit of ${limit}`] : []),
    ...commandLinesIn(text).flatMap(({ line, at, isNamed }) => {
      if (!line.startsWith("devflow") || (isNamed && commands.some((one) => line === `devflow ${one.name}`))) return [];
      const fault = devflowFault(line, commands);
      return fault ? [`${name}:${text.slice(0, at).split("\n").length} ${line}: ${fault}`] : [];
    }),
  ];
}
