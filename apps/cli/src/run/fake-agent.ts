/** The process of a fake agent. Only SIGTERM ends it: its driver may go and come back. */
import type { HandlerOf } from "@devflow/core/command";
import { runFakeAgent } from "@devflow/runs/fake-agent";
import type { fakeAgentRecord } from "./internal-commands.ts";

export const fakeAgent: HandlerOf<typeof fakeAgentRecord> = async ({ folder }) => {
  // The agent has its own handler: an interrupt ends its turn, not its process.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeAllListeners(signal);
  process.on("SIGHUP", () => undefined);
  runFakeAgent(folder);
  await new Promise<never>(() => undefined);
};
