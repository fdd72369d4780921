/** The process that holds a real agent. Only SIGTERM and the end of its agent end it: its driver may go and come back. */
import type { HandlerOf } from "@devflow/core/command";
import { runSessionHolder } from "@devflow/runs/session-holder";
import type { sessionHolderRecord } from "./internal-commands.ts";

export const sessionHolder: HandlerOf<typeof sessionHolderRecord> = async ({ folder }, { env }) => {
  // The holder has its own handlers: an interrupt ends the agent's turn, not its process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeAllListeners(signal);
  // Its driver chose these variables for the agent.
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  await runSessionHolder(folder, Object.fromEntries(given));
  await new Promise<never>(() => undefined);
};
