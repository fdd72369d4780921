/** All browse commands. Whatever lists, explains, permits or runs them starts here. */
import type { AnyBrowseCommand } from "../command.ts";
import { firstCommands } from "./first.ts";
import { metaCommands } from "./meta/index.ts";

export type { AnyBrowseCommand } from "../command.ts";
export { browseGroups } from "../command.ts";
export { cliRecordOf, type SharedInput, splitInput } from "./cli-record.ts";
export { browseHelp } from "./help-text.ts";

export const browseCommands: readonly AnyBrowseCommand[] = [...firstCommands, ...metaCommands];
