/** All browse commands: the list that help, permissions and the dispatcher use. */
import type { AnyBrowseCommand } from "../command.ts";
import { cookieCommands } from "./cookies.ts";
import { evidenceCommands } from "./evidence.ts";
import { metaCommands } from "./meta/index.ts";
import { navigationCommands } from "./navigation.ts";
import { readCommands } from "./read.ts";
import { recordCommands } from "./record.ts";
import { taskCommands } from "./tasks.ts";
import { writeCommands } from "./write.ts";

export { cliRecordOf, type SharedInput, splitInput } from "./cli-record.ts";
export type { cookieImportRecord } from "./cookies.ts";
export type { verifyRecord } from "./evidence.ts";
export { browseHelp } from "./help-text.ts";

export const browseCommands: readonly AnyBrowseCommand[] = [
  ...navigationCommands,
  ...readCommands,
  ...writeCommands,
  ...metaCommands,
  ...cookieCommands,
  ...evidenceCommands,
  ...recordCommands,
  ...taskCommands,
];
