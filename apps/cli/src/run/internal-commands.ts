/** Commands of Devflow's own processes, kept apart so that an agent starts with nothing else loaded. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const fakeAgentRecord = defineRecord({
  name: "fake-agent",
  summary: "The process of a fake agent",
  category: "Runs",
  effect: "write",
  hidden: true,
  args: z.object({ folder: option(z.string().describe("Where it meets its driver"), { positional: 0 }) }),
  examples: [],
});

export const internalCommands: readonly AnyCommand[] = [
  defineCommand(fakeAgentRecord, async () => (await import("./fake-agent.ts")).fakeAgent),
];
