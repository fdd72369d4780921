/** Commands of Devflow's own processes, separate so that an agent loads nothing else. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const fakeAgentRecord = defineRecord({
  name: "fake-agent",
  summary: "The process of a fake agent",
  category: "Runs",
  effect: "write",
  hidden: true,
  args: z.object({ folder: option(z.string().describe("The folder it shares with its driver"), { positional: 0 }) }),
  examples: [],
});

export const sessionHolderRecord = defineRecord({
  name: "session-holder",
  summary: "The process that holds an agent",
  category: "Runs",
  effect: "write",
  hidden: true,
  args: z.object({ folder: option(z.string().describe("The session's folder"), { positional: 0 }) }),
  examples: [],
});

export const sessionHookRecord = defineRecord({
  name: "session-hook",
  summary: "A hook of an agent in a terminal",
  category: "Runs",
  effect: "write",
  hidden: true,
  args: z.object({ socket: option(z.string().describe("The socket of the session's holder"), { positional: 0 }) }),
  examples: [],
});

export const sandboxInsideRecord = defineRecord({
  name: "sandbox-inside",
  summary: "The first program in an agent's sandbox",
  category: "Runs",
  effect: "write",
  hidden: true,
  args: z.object({
    forwards: option(z.string().describe("Ports and the sockets they lead to, as JSON"), { positional: 0 }),
    command: option(z.array(z.string()).default([]).describe("The agent's command, after --"), { positional: 1 }),
  }),
  examples: [],
});

export const internalCommands: readonly AnyCommand[] = [
  defineCommand(fakeAgentRecord, async () => (await import("./fake-agent.ts")).fakeAgent),
  defineCommand(sessionHolderRecord, async () => (await import("./session-holder.ts")).sessionHolder),
  defineCommand(sandboxInsideRecord, async () => (await import("./sandbox-inside.ts")).sandboxInside),
  defineCommand(sessionHookRecord, async () => (await import("./session-hook.ts")).sessionHook),
];
