/** The process of the browser daemon, kept apart so that it starts with nothing else loaded. */
import { defineCommand, option } from "@devflow/core/command";
import { z } from "zod";

export const browseDaemonCommands = [
  defineCommand({
    name: "browse-daemon",
    summary: "The process of a workspace's browser",
    category: "Browse",
    effect: "write",
    hidden: true,
    args: z.object({
      temp: z.array(z.string()).default([]).describe("Temp folders of whoever started it"),
      ownTemp: z.string().optional().describe("A temp folder that is its own"),
      workspace: option(z.string().describe("Its root"), { positional: 0 }),
    }),
    examples: [],
    handler: async () => (await import("./daemon.ts")).browseDaemon,
  }),
];
