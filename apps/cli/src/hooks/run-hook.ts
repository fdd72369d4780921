/** `devflow hook` through the full command line, which happens only with options such as --json. */
import type { HandlerOf } from "@devflow/core/command";
import type { hookRecord } from "./commands.ts";
import { quickHook } from "./quick.ts";

export const runHookCommand: HandlerOf<typeof hookRecord> = async ({ host, moment }) => {
  await quickHook([host, moment]);
};
