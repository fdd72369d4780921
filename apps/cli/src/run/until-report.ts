/** The report follows the end of a run by a moment; whoever types the command that was just shown shall find it. */
import { RunDetail } from "@devflow/protocol";
import type { RunsClient } from "./runs-client.ts";
import { hasEnded } from "./words.ts";

const patienceMs = 10_000;
const pauseMs = 80;

export async function untilReport(client: RunsClient, run: RunDetail, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let now = run; hasEnded(now) && !now.hasReport && Date.now() < deadline && !signal.aborted; ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    now = await client.get(`/api/runs/${run.id}`, RunDetail);
  }
}
