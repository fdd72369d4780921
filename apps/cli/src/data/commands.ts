/** `devflow backup` and `devflow restore`. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

export const backupRecord = defineRecord({
  name: "backup",
  summary: "Back up everything to one file",
  description:
    "The database, settings, keys, definitions, eval results, logs, and the artifacts, reports and branches of runs. Consistent even while the server runs; restore checks counts and hashes. It contains this machine's keys.",
  category: "Care",
  effect: "write",
  args: z.object({
    file: option(z.string().optional().describe("File to create; never overwrites an existing one"), {
      positional: 0,
      placeholder: "<file>",
    }),
  }),
  examples: [{ run: "backup before-upgrade.devflow-backup", does: "store it on another disk" }],
});

export const restoreRecord = defineRecord({
  name: "restore",
  summary: "Restore a backup",
  description:
    "All or nothing: the whole file is checked before the first row is written. Files that exist are kept unless --replace is given. The server must be stopped.",
  category: "Care",
  effect: "write",
  destroys: true,
  args: z.object({
    file: option(z.string().describe("A file written by `devflow backup`"), { positional: 0, placeholder: "<file>" }),
    replace: option(z.boolean().default(false).describe("Replace the existing data and files"), { destroys: true }),
  }),
  examples: [{ run: "restore before-upgrade.devflow-backup", does: "restore into an empty home" }],
});

export const dataCommands: readonly AnyCommand[] = [
  defineCommand(backupRecord, async () => (await import("./backup.ts")).backup),
  defineCommand(restoreRecord, async () => (await import("./restore.ts")).restore),
];
