/** `devflow skills show`. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import { readSkills } from "@devflow/skills";
import { bundledSkillsFolder } from "../embedded.ts";
import type { skillsShowRecord } from "./commands.ts";

export const showSkill: HandlerOf<typeof skillsShowRecord> = async ({ name: given }, { output }) => {
  const name = given.replace(/^\//, "");
  const skills = await readSkills(bundledSkillsFolder());
  const skill = skills.find((one) => one.name === name);
  if (!skill) {
    const meant = nearest(
      name,
      skills.map((one) => one.name),
    );
    const next = meant ? `Did you mean: devflow skills show ${meant}` : "List them: devflow skills list";
    throw new DevflowError("not_found", { details: { what: `The skill "${name}"`, next } });
  }
  output.result(skill, skill.text.trimEnd());
};
