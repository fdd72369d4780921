/**
 * Checks the committed skills.
 *
 * - `allSkillFaults(root)` front matter, sizes, command lines that would not work, a folder without a template. No skills
 *   at all is an error too.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "@devflow/cli/commands";
import { skillFaults } from "@devflow/skills/render";

export async function allSkillFaults(root: string): Promise<string[]> {
  const commands = await allCommands();
  const folder = join(root, "skills");
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  if (names.length === 0) return ["skills/ contains no skills; run: npm run generate"];
  return names.flatMap((name) => {
    if (!existsSync(join(root, "packages/skills/templates", `${name}.md.tmpl`)))
      return [`skills/${name} has no template: remove it, or write packages/skills/templates/${name}.md.tmpl`];
    return skillFaults(name, readFileSync(join(folder, name, "SKILL.md"), "utf8"), commands);
  });
}
