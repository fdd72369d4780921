/** `devflow skills …`: install skills for the agents on this machine. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { hostNames, installOutcomes } from "@devflow/skills";
import { z } from "zod";

const host = z.enum(hostNames).describe("Which agent");
const project = z
  .boolean()
  .default(false)
  .describe("Install into this repository, for teammates too, instead of your home");
const installed = z.object({
  host: z.string(),
  folder: z.string(),
  skills: z.array(z.object({ name: z.string(), path: z.string(), outcome: z.enum(installOutcomes) })),
});

export const skillsListRecord = defineRecord({
  name: "skills list",
  summary: "List the skills, where they are installed, and how often they were used here",
  category: "Start",
  effect: "read",
  args: z.object({}),
  output: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      bytes: z.number(),
      installed: z.array(z.string()),
      used: z.number(),
      lastUsed: z.string().nullable(),
    }),
  ),
  examples: [{ run: "skills list", does: "show what an agent can learn" }],
});

export const skillsShowRecord = defineRecord({
  name: "skills show",
  summary: "Print a skill as an agent loads it",
  category: "Start",
  effect: "read",
  args: z.object({ name: option(z.string().describe("Which skill"), { positional: 0, placeholder: "<skill>" }) }),
  output: z.object({ name: z.string(), description: z.string(), text: z.string() }),
  examples: [{ run: "skills show browse", does: "read it before you install it" }],
});

export const skillsInstallRecord = defineRecord({
  name: "skills install",
  summary: "Teach an agent to use Devflow",
  description:
    "Your home gets links, so that an upgrade reaches every agent at once. A repository gets the files themselves, for you to commit. Skills that Devflow did not make are left alone.",
  category: "Start",
  effect: "write",
  args: z.object({ host, project, force: z.boolean().default(false).describe("Replace skills of the same name") }),
  output: installed,
  examples: [
    { run: "skills install --host claude", does: "for Claude Code, in all your projects" },
    { run: "skills install --host codex --project", does: "into this repository's .agents/skills" },
  ],
});

export const skillsRemoveRecord = defineRecord({
  name: "skills remove",
  summary: "Remove Devflow's skills from an agent",
  category: "Start",
  effect: "write",
  destroys: true,
  args: z.object({ host, project }),
  output: installed,
  examples: [{ run: "skills remove --host claude", does: "remove them; other skills stay" }],
});

export const skillsPreambleRecord = defineRecord({
  name: "skills preamble",
  summary: "Print what an agent needs to know when it starts a skill",
  description: "Reads local files only, and records in a local log that the skill was used.",
  category: "Start",
  effect: "meta",
  args: z.object({
    skill: option(z.string().max(64).optional().describe("The skill that is starting"), {
      positional: 0,
      placeholder: "<skill>",
    }),
  }),
  examples: [{ run: "skills preamble qa", does: "the first command of every skill" }],
});

export const skillCommands: readonly AnyCommand[] = [
  defineCommand(skillsListRecord, async () => (await import("./list.ts")).listSkills),
  defineCommand(skillsShowRecord, async () => (await import("./show.ts")).showSkill),
  defineCommand(skillsInstallRecord, async () => (await import("./install.ts")).install),
  defineCommand(skillsRemoveRecord, async () => (await import("./install.ts")).remove),
  defineCommand(skillsPreambleRecord, async () => (await import("./preamble.ts")).preamble),
];
