/** Commands of Devflow's own processes, separate so that an agent loads nothing else. */
import { defineCommand, option } from "@devflow/core/command";
import { z } from "zod";

export const internalCommands = [
  defineCommand({
    name: "fake-agent",
    summary: "The process of a fake agent",
    category: "Runs",
    effect: "write",
    hidden: true,
    args: z.object({ folder: option(z.string().describe("The folder it shares with its driver"), { positional: 0 }) }),
    examples: [],
    handler: async () => (await import("./fake-agent.ts")).fakeAgent,
  }),
];
