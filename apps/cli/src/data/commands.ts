/** `devflow backup` and `devflow restore`. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const backupRecord = defineRecord({
  name: "backup",
  summary: "Write everything in the database into one file",
  description: "Consistent while the server works; checked by counts and hashes when it is restored.",
  category: "Care",
  effect: "write",
  args: z.object({
    file: option(z.string().optional().describe("Where to; made anew, never overwritten"), {
      positional: 0,
      placeholder: "<file>",
    }),
  }),
  examples: [{ run: "backup before-upgrade.devflow-backup", does: "keep it somewhere else than this disk" }],
});

export const restoreRecord = defineRecord({
  name: "restore",
  summary: "Bring a backup back",
  description: "All or nothing: the file is checked whole before the first row is written. The server must be down.",
  category: "Care",
  effect: "write",
  args: z.object({
    file: option(z.string().describe("A file that `devflow backup` made"), { positional: 0, placeholder: "<file>" }),
    replace: z.boolean().default(false).describe("Replace the data that is there now"),
  }),
  examples: [{ run: "restore before-upgrade.devflow-backup", does: "into an empty home" }],
});

export const dataCommands: readonly AnyCommand[] = [
  defineCommand(backupRecord, async () => (await import("./backup.ts")).backup),
  defineCommand(restoreRecord, async () => (await import("./restore.ts")).restore),
];
