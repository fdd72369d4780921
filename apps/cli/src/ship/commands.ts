/** `devflow ship …`: what was shipped. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const shipLogRecord = defineRecord({
  name: "ship log",
  summary: "Record that HEAD was shipped",
  description:
    "Finds the version (a tag at HEAD, VERSION or package.json), the commits since the last ship, and the time they took. A ship repairs an earlier one if it reverts a commit of it, or comes from a branch called hotfix/…; --fixes says so in other cases. Logging the same version of the same commit again changes nothing.",
  category: "Team",
  effect: "write",
  args: z.object({
    version: option(
      z.string().min(1).max(200).optional().describe("What is shipped, if not what the repository states"),
      {
        positional: 0,
        placeholder: "<version>",
      },
    ),
    pr: option(z.url().optional().describe("The pull request"), { placeholder: "<url>" }),
    fixes: option(
      z
        .array(z.string().min(1).max(200))
        .default([])
        .describe("An earlier version that this one repairs; may be repeated"),
      {
        placeholder: "<version>",
      },
    ),
    since: option(z.string().optional().describe("The commit that was shipped before"), { placeholder: "<commit>" }),
  }),
  examples: [
    { run: "ship log", does: "at the end of a release" },
    { run: "ship log 1.4.1 --fixes 1.4.0", does: "a repair" },
  ],
});

export const shipListRecord = defineRecord({
  name: "ship list",
  summary: "List what was shipped from this repository",
  description: "Ships of this machine, and of teammates as of the last `devflow sync pull`.",
  category: "Team",
  effect: "read",
  args: z.object({
    limit: option(z.number().int().min(1).max(1000).default(20).describe("Number of ships"), { short: "n" }),
  }),
  examples: [{ run: "ship list", does: "newest first" }],
});

export const shipCommands: readonly AnyCommand[] = [
  defineCommand(shipLogRecord, async () => (await import("./log.ts")).shipLog),
  defineCommand(shipListRecord, async () => (await import("./list.ts")).shipList),
];
