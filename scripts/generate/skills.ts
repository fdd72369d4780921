/** `skills/<name>/SKILL.md`: what agents load, generated from the templates of packages/skills and the command records. */
import { allCommands } from "@devflow/cli/commands";
import { renderSkills } from "@devflow/skills/render";

export async function skillFiles(): Promise<[path: string, content: string][]> {
  return [...renderSkills(await allCommands())].map(([name, text]) => [`skills/${name}/SKILL.md`, text]);
}
