/** `devflow fleet …`: the machines that drive runs on Temporal. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { Fleet } from "@devflow/protocol";
import { z } from "zod";

const host = () =>
  option(z.string().describe("The machine, by its name or id"), { positional: 0, placeholder: "<host>" });

const fleetListRecord = defineRecord({
  name: "fleet list",
  summary: "List the machines that drive runs: their state, agents and places",
  category: "Runs",
  effect: "read",
  args: z.object({}),
  output: Fleet,
  examples: [{ run: "fleet list", does: "every machine, and what is wrong with the fleet" }],
});

export const FleetChecks = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

export const fleetCheckRecord = defineRecord({
  name: "fleet check",
  summary: "Check that runs of a repository can move between machines",
  description:
    "Looks at the machines and at Temporal, and pushes a ref under refs/devflow/ to the repository's remote, which it then removes.",
  category: "Runs",
  effect: "write",
  args: z.object({
    repo: z.string().optional().describe("The repository; by default the one of the current folder"),
  }),
  output: FleetChecks,
  examples: [{ run: "fleet check", does: "the machines, Temporal, and the remote of this repository" }],
});

export const fleetDrainRecord = defineRecord({
  name: "fleet drain",
  summary: "Let a machine take no new runs; what it works on continues",
  category: "Runs",
  effect: "write",
  args: z.object({ host: host(), undo: z.boolean().default(false).describe("Let it take runs again") }),
  output: Fleet,
  examples: [
    { run: "fleet drain build-2", does: "before its maintenance" },
    { run: "fleet drain build-2 --undo", does: "and after it" },
  ],
});

export const fleetRemoveRecord = defineRecord({
  name: "fleet remove",
  summary: "Remove a machine that is gone; its unfinished runs ask whether to go on elsewhere",
  category: "Runs",
  effect: "write",
  args: z.object({ host: host() }),
  output: Fleet,
  examples: [{ run: "fleet remove build-2", does: "a machine that will not come back" }],
});

export const fleetCommands: readonly AnyCommand[] = [
  defineCommand(fleetListRecord, async () => (await import("./list.ts")).list),
  defineCommand(fleetCheckRecord, async () => (await import("./check.ts")).check),
  defineCommand(fleetDrainRecord, async () => (await import("./change-host.ts")).drain),
  defineCommand(fleetRemoveRecord, async () => (await import("./change-host.ts")).remove),
];
