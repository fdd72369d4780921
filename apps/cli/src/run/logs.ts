/** `devflow run logs`: the output of a run's command. */

import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { plainLine, plainText } from "@devflow/core/plain-text";
import { CommandLog, type CommandView, type RunDetail } from "@devflow/protocol";
import type { runLogsRecord } from "./commands.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import { commandOutcome, shortId } from "./words.ts";

const wholeBytes = 32 * 1024 * 1024;

export const logs: HandlerOf<typeof runLogsRecord> = async ({ run: given, command: wanted }, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, given, "run logs", context);
  const command = commandOf(run, wanted);
  const log = await client.get(`/api/runs/${run.id}/commands/${command.id}/log?bytes=${wholeBytes}`, CommandLog);
  const { output } = context;
  output.note(`${commandOutcome(command)}: ${plainLine(command.argv.join(" "))}`);
  const both = [log.stdout, log.stderr].filter(Boolean).join(log.stdout.endsWith("\n") ? "" : "\n");
  const text = both === "" ? "(it printed nothing)" : both.replace(/\n$/, "");
  output.result({ command, ...log }, output.isTerminal ? plainText(text) : text);
};

/** By its number in `run show`; by default the last that failed, or else the last. */
function commandOf(run: RunDetail, wanted: string | undefined): CommandView {
  const ran = run.commands.filter((one) => one.kind !== "git");
  const failed = ran.findLast((one) => one.endedAt !== null && one.exitCode !== 0);
  const found = wanted === undefined ? (failed ?? ran.at(-1)) : run.commands[Number(wanted) - 1];
  if (found) return found;
  const id = shortId(run.id);
  const what = wanted === undefined ? `A log (run ${id} has run no command)` : `Command ${wanted} of run ${id}`;
  throw new DevflowError("not_found", { details: { what, next: `List the commands: devflow run show ${id}` } });
}
