import { describe, expect, test } from "bun:test";
import { defineCommand, option } from "@devflow/core/command";
import { z } from "zod";
import { renderSkill, renderSkills, skillFaults } from "./render.ts";

const nothing = async () => async () => {};
const command = (name: string, effect: "read" | "write" | "meta", args = z.object({})) =>
  defineCommand({ name, summary: name, category: "Browse", effect, args, examples: [] }, nothing);
const page = option(z.string().describe("Where to"), { positional: 0 });
const commands = [
  command("browse goto", "write", z.object({ url: page })),
  command(
    "browse snapshot",
    "read",
    z.object({
      interactive: option(z.boolean().default(false).describe("Only what can be used"), { short: "i" }),
      budget: z.number().optional().describe("Tokens at most"),
    }),
  ),
  command("browse tabs", "meta"),
  command("browse state save", "meta"),
  command("browse state load", "meta"),
];
const head = "---\nname: try\ndescription: A skill that is tried out by a test.\n---\n";

describe("a template", () => {
  test("gets its placeholders from the command records", () => {
    const text = renderSkill("try", "{{COMMAND_REFERENCE}}\n\n{{SNAPSHOT_FLAGS}}", commands);
    expect(text).toBe(
      "Read: snapshot\nAct: goto\nManage: tabs state save|load\n\n- `-i, --interactive` Only what can be used\n- `--budget <budget>` Tokens at most",
    );
  });

  test("with an unknown placeholder is refused, and the error lists the known ones", () => {
    expect(() => renderSkill("try", "{{COMMAND_REFRENCE}}", commands)).toThrow(
      /try\.md\.tmpl uses the unknown placeholder \{\{COMMAND_REFRENCE\}\}.*COMMAND_REFERENCE/,
    );
  });
});

describe("a skill", () => {
  const faults = (body: string, name = "try") => skillFaults(name, `${head}${body}`, commands);

  test("with commands that exist has no faults", () => {
    expect(faults("```sh\ndevflow browse goto <url>\ndevflow browse snapshot -i --budget 800  # small\n```")).toEqual(
      [],
    );
  });
  test("that names an unknown command is reported with the line", () => {
    expect(faults("\nUse `devflow browse clikc @e3`.")).toEqual([
      'try:6 devflow browse clikc @e3: There is no command "browse clikc @e3".',
    ]);
  });
  test("that uses an unknown flag is reported with the line and the closest flag", () => {
    expect(faults("```sh\ndevflow browse snapshot --budgte 800\n```")).toEqual([
      "try:6 devflow browse snapshot --budgte 800: devflow browse snapshot has no flag --budgte; did you mean --budget?",
    ]);
  });
  test("that omits a required argument is refused", () => {
    expect(faults("```sh\ndevflow browse goto\n```")).toEqual(["try:6 devflow browse goto: <url> is missing."]);
  });
  test("in a folder of another name, without front matter or too long is refused", () => {
    expect(faults("", "other")).toEqual(["other: the front matter names it try"]);
    expect(skillFaults("try", "# no head", commands)).toEqual(["try: it has no front matter"]);
    const long = `---\nname: browse\ndescription: A skill that is tried out by a test.\n---\n${"x".repeat(2048)}`;
    expect(skillFaults("browse", long, commands)).toEqual([
      `browse: ${Buffer.byteLength(long)} bytes, more than the limit of 2048`,
    ]);
  });
});

test("there are five browser skills, and each begins with the preamble", () => {
  const skills = renderSkills(commands);
  expect([...skills.keys()]).toEqual(expect.arrayContaining(["benchmark", "browse", "canary", "qa", "qa-only"]));
  for (const [name, text] of skills) expect(text).toContain(`devflow skills preamble ${name}`);
});
