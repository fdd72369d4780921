/** The browser daemon's process, in its own file so that it starts with nothing else loaded. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const browseDaemonRecord = defineRecord({
  name: "browse-daemon",
  summary: "Run the browser daemon of a workspace",
  category: "Browse",
  effect: "write",
  hidden: true,
  args: z.object({
    temp: z.array(z.string()).default([]).describe("Temp folders of the process that started it"),
    ownTemp: z.string().optional().describe("The daemon's own temp folder"),
    workspace: option(z.string().describe("The workspace's root"), { positional: 0 }),
  }),
  examples: [],
});

export const browseDaemonCommands: readonly AnyCommand[] = [
  defineCommand(browseDaemonRecord, async () => (await import("./daemon.ts")).browseDaemon),
];
