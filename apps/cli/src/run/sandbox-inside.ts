/** The first program in an agent's sandbox: opens its ports, starts the agent, ends with it. */
import type { HandlerOf } from "@devflow/core/command";
import { runInside } from "@devflow/runs/sandbox-inside";
import type { sandboxInsideRecord } from "./internal-commands.ts";

export const sandboxInside: HandlerOf<typeof sandboxInsideRecord> = async ({ forwards, command }) =>
  await runInside(JSON.parse(forwards), command);
