/** `devflow eval …`: results of evals, from the terminal. The stored ones, and the making and judging of new ones. */
import { checkCommands } from "./check-commands.ts";
import { storeCommands } from "./store-commands.ts";

export const evalCommands = [...storeCommands, ...checkCommands];
