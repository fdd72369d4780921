/** `devflow hooks …`: Devflow's hooks in the settings of agents. `devflow hook` is what those settings call. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { hookHostNames, hookOutcomes } from "@devflow/skills/hosts";
import { z } from "zod";

/** Git has one hook, before a push; the others are agents. */
export const hostChoices = [...hookHostNames, "git"] as const;

const host = z.enum(hostChoices).describe("The agent; git for a hook before every push from this repository");
const project = z.boolean().default(false).describe("In this repository, for teammates too, instead of your home");

const changed = z.object({
  host: z.enum(hostChoices),
  file: z.string(),
  outcome: z.enum(hookOutcomes),
  trust: z.string().nullable(),
});

const base = { category: "Brain", effect: "write" } as const;

export const hooksInstallRecord = defineRecord({
  ...base,
  name: "hooks install",
  summary: "Let an agent report its edits and hear what the team does",
  description:
    "Adds Devflow's entries to the agent's settings and changes nothing else there; doing it again updates them. A file that is not valid JSON, or read-only, is left alone. Hooks never keep an agent from working: whatever goes wrong, they say nothing, and devflow doctor tells you.",
  args: z.object({ host, project }),
  output: changed,
  examples: [
    { run: "hooks install --host claude", does: "for Claude Code, in all your repositories" },
    {
      run: "hooks install --host codex --project",
      does: "into this repository's .codex/hooks.json, for you to commit",
    },
    { run: "hooks install --host git", does: "check for conflicts before every push from this repository" },
  ],
});

export const hooksUninstallRecord = defineRecord({
  ...base,
  name: "hooks uninstall",
  summary: "Take Devflow's hooks out of an agent's settings",
  description: "The file is as it was before, if nobody changed it since; otherwise only Devflow's entries go.",
  destroys: true,
  args: z.object({ host, project }),
  output: changed,
  examples: [{ run: "hooks uninstall --host claude", does: "other hooks stay" }],
});

export const hooksStatusRecord = defineRecord({
  ...base,
  effect: "read",
  name: "hooks status",
  summary: "Show which agents have Devflow's hooks, and when they last fired",
  args: z.object({}),
  output: z.object({
    off: z.boolean(),
    hosts: z.array(
      z.object({
        host: z.enum(hostChoices),
        file: z.string(),
        state: z.enum(["current", "outdated", "absent", "unreadable"]),
        lastFired: z.string().nullable(),
        problem: z.string().nullable(),
      }),
    ),
    faults: z.array(z.object({ at: z.string(), host: z.string(), moment: z.string(), problem: z.string() })),
    log: z.string(),
  }),
  examples: [{ run: "hooks status --json", does: "for a program" }],
});

export const hookRecord = defineRecord({
  ...base,
  effect: "meta",
  name: "hook",
  summary: "What agents call at each moment of a session, with JSON on standard input",
  hidden: true,
  args: z.object({
    host: option(z.string().describe("The agent that calls"), { positional: 0, placeholder: "<host>" }),
    moment: option(z.string().describe("When it calls"), { positional: 1, placeholder: "<moment>" }),
  }),
  examples: [],
});

export const hookCommands: readonly AnyCommand[] = [
  defineCommand(hooksInstallRecord, async () => (await import("./install.ts")).installHooksFor),
  defineCommand(hooksUninstallRecord, async () => (await import("./install.ts")).uninstallHooksFor),
  defineCommand(hooksStatusRecord, async () => (await import("./status.ts")).hooksStatus),
  defineCommand(hookRecord, async () => (await import("./run-hook.ts")).runHookCommand),
];
