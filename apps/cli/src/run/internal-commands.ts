/** Commands of Devflow's own processes, kept apart so that an agent starts with nothing else loaded. */
import { defineCommand, option } from "@devflow/core/command";
import { z } from "zod";

export const internalCommands = [
  defineCommand({
    name: "fake-agent",
    summary: "The process of a fake agent",
    category: "Runs",
    effect: "write",
    hidden: true,
    args: z.object({ folder: option(z.string().describe("Where it meets its driver"), { positional: 0 }) }),
    examples: [],
    handler: async () => (await import("./fake-agent.ts")).fakeAgent,
  }),
];
