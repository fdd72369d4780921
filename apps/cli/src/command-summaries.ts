/** The commands as the web app's palette lists them. */
import type { CommandSummary } from "@devflow/protocol";
import { allCommands } from "./commands.ts";
import { usageLine } from "./help.ts";

export async function commandSummaries(): Promise<CommandSummary[]> {
  const commands = (await allCommands()).filter((one) => !one.hidden);
  return commands.map((one) => ({
    name: one.name,
    summary: one.summary,
    category: one.category,
    effect: one.effect,
    usage: usageLine(one),
  }));
}
