/** All `devflow eval …` commands: those that work on stored runs, and those that produce and judge new ones. */
import { checkCommands } from "./check-commands.ts";
import { storeCommands } from "./store-commands.ts";

export const evalCommands = [...storeCommands, ...checkCommands];
