/** `devflow eval check` and what belongs to it: making results, judging them, and what they are expected to be. */
import type { AnyCommand } from "@devflow/core/command";

export const checkCommands: readonly AnyCommand[] = [];
