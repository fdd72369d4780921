/** The browse commands on the command line: derived from their records, sent to the workspace's daemon. */
import { cliRecordOf, browseCommands as records } from "@devflow/browse/commands";
import type { AnyCommand, CommandHandler } from "@devflow/core/command";

export const browseCommands: readonly AnyCommand[] = records.map((record) => ({
  ...cliRecordOf(record),
  handler: async () => (await import("./send.ts")).sender(record.name) as CommandHandler<never>,
}));
