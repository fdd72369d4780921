import { describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { installSkills, removeSkills } from "./install.ts";
import { parseSkill, type Skill } from "./skill-text.ts";

function skill(name: string, words: string): Skill {
  const parsed = parseSkill(
    `---\nname: ${name}\ndescription: A skill that is tried out by a test.\n---\n<!-- Made by Devflow -->\n${words}\n`,
  );
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed.skill;
}

const outcomes = (results: readonly { name: string; outcome: string }[]) =>
  Object.fromEntries(results.map(({ name, outcome }) => [name, outcome]));

describe("skills for a person", () => {
  const places = () => {
    const folder = temporaryFolder("skills");
    return { into: join(folder, "agent/skills"), library: join(folder, "home/skills") };
  };

  test("are links into one library, and an upgrade reaches them", async () => {
    const at = places();
    expect(outcomes(await installSkills([skill("browse", "one"), skill("qa", "one")], at))).toEqual({
      browse: "installed",
      qa: "installed",
    });
    expect(readlinkSync(join(at.into, "browse"))).toBe(join(at.library, "browse"));
    expect(outcomes(await installSkills([skill("browse", "two"), skill("qa", "one")], at))).toEqual({
      browse: "updated",
      qa: "unchanged",
    });
    expect(readFileSync(join(at.into, "browse/SKILL.md"), "utf8")).toContain("two");
  });

  test("never replace or remove a skill that Devflow did not make, unless forced", async () => {
    const at = places();
    mkdirSync(join(at.into, "browse"), { recursive: true });
    writeFileSync(join(at.into, "browse/SKILL.md"), "mine");
    expect(outcomes(await installSkills([skill("browse", "one")], at))).toEqual({ browse: "refused" });
    expect(outcomes(await removeSkills([skill("browse", "one")], at))).toEqual({ browse: "refused" });
    expect(readFileSync(join(at.into, "browse/SKILL.md"), "utf8")).toBe("mine");
    expect(outcomes(await installSkills([skill("browse", "one")], { ...at, force: true }))).toEqual({
      browse: "updated",
    });
    expect(readFileSync(join(at.into, "browse/SKILL.md"), "utf8")).toContain("one");
  });

  test("replace a broken link that Devflow made", async () => {
    const at = places();
    mkdirSync(at.into, { recursive: true });
    symlinkSync(join(at.library, "browse"), join(at.into, "browse"));
    expect(outcomes(await installSkills([skill("browse", "one")], at))).toEqual({ browse: "installed" });
  });

  test("are removed without a trace", async () => {
    const at = places();
    await installSkills([skill("browse", "one")], at);
    expect(outcomes(await removeSkills([skill("browse", "one"), skill("qa", "one")], at))).toEqual({
      browse: "removed",
    });
    expect(lstatSync(join(at.into, "browse"), { throwIfNoEntry: false })).toBeUndefined();
  });
});

test("skills for a repository are files that teammates can use", async () => {
  const into = join(temporaryFolder("skills"), ".claude/skills");
  await installSkills([skill("browse", "one")], { into });
  expect(lstatSync(join(into, "browse")).isSymbolicLink()).toBe(false);
  expect(readFileSync(join(into, "browse/SKILL.md"), "utf8")).toContain("one");
});
