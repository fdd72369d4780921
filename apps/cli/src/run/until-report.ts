/** The report follows the end of a run by a moment; this waits for it. */
import type { CommandContext } from "@devflow/core/command";
import type { RunDetail } from "@devflow/protocol";
import { followRun } from "./run-stream.ts";
import type { RunsClient } from "./runs-client.ts";
import { hasEnded } from "./words.ts";

const patienceMs = 10_000;

export async function untilReport(client: RunsClient, run: RunDetail, context: CommandContext): Promise<void> {
  if (!hasEnded(run) || run.hasReport) return;
  const done = new AbortController();
  const signal = AbortSignal.any([context.signal, done.signal, AbortSignal.timeout(patienceMs)]);
  for await (const { event, data } of followRun(client, run.id, { ...context, signal })) {
    if (event !== "run.event_appended" || data.type !== "report.written") continue;
    done.abort();
    return;
  }
}
