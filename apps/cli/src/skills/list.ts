/** `devflow skills list`. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CommandHandler } from "@devflow/core/command";
import { homeAt } from "@devflow/core/home";
import { hostNames, readSkills, skillsFolder, usageCounts } from "@devflow/skills";
import { bundledSkillsFolder } from "../embedded.ts";
import { textTable } from "../text-table.ts";

export const listSkills: CommandHandler = async (_, { env, inspectConfig, output }) => {
  const uses = usageCounts(homeAt(inspectConfig().home).skillUseLog);
  const home = env.HOME || homedir();
  const skills = (await readSkills(bundledSkillsFolder())).map(({ name, description, text }) => ({
    name,
    description,
    bytes: Buffer.byteLength(text),
    installed: hostNames.filter((host) => existsSync(join(skillsFolder(host, { home, env }), name, "SKILL.md"))),
    used: uses.get(name)?.times ?? 0,
    lastUsed: uses.get(name)?.last ?? null,
  }));
  const rows = skills.map((one) => [
    `/${one.name}`,
    one.installed.join(", ") || "-",
    String(one.used),
    one.description.split(". ")[0] ?? "",
  ]);
  const titles = [{ title: "skill" }, { title: "installed for" }, { title: "used" }, { title: "what it does" }];
  const next = skills.some(({ installed }) => installed.length > 0)
    ? ""
    : "\nInstall them: devflow skills install --host claude";
  output.result(skills, `${textTable(titles, rows)}${next}`);
};
