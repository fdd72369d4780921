/**
 * `devflow run watch`: follows a run live. On a terminal one view that is redrawn in place; otherwise one line per event;
 * with `--json` every event unchanged. Exit code 0 when the run completed, 1 otherwise.
 */
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { RunDetail, RunEventView } from "@devflow/protocol";
import type { runWatchRecord } from "./commands.ts";
import { eventLine } from "./event-words.ts";
import { pickRun } from "./pick-run.ts";
import { progressLines } from "./progress-view.ts";
import { followRun } from "./run-stream.ts";
import { connectRuns, type RunsClient } from "./runs-client.ts";
import { hasEnded, isAsked, shortId } from "./words.ts";

export const watch: HandlerOf<typeof runWatchRecord> = async ({ run, untilGate }, context) => {
  const client = await connectRuns(context);
  const { id } = await pickRun(client, run, "run watch", context);
  return await watchRun(client, id, { untilGate }, context);
};

export async function watchRun(
  client: RunsClient,
  runId: string,
  { untilGate }: { readonly untilGate: boolean },
  context: CommandContext,
): Promise<number> {
  // The report follows the end by a moment, and must exist when this command ends.
  const isOver = (run: RunDetail) => (hasEnded(run) && run.hasReport) || (untilGate && isAsked(run));
  const { output, signal } = context;
  const done = new AbortController();
  const following = { ...context, signal: AbortSignal.any([signal, done.signal]) };
  const last =
    output.isTerminal && !output.json
      ? await drawUntil(client, runId, isOver, following)
      : await printUntil(client, runId, isOver, following);
  done.abort();
  if (!last) {
    output.note(`The run continues. Watch it again: devflow run watch ${shortId(runId)}`);
    return 130;
  }
  return last.state === "completed" || !hasEnded(last) ? 0 : 1;
}

/** One line, or one event, at a time. */
async function printUntil(
  client: RunsClient,
  runId: string,
  isOver: (run: RunDetail) => boolean,
  context: CommandContext,
): Promise<RunDetail | undefined> {
  const { output } = context;
  const checked: ReadonlySet<string> = new Set(["ready", "run.state_changed", "approval.created", "report.written"]);
  let seen = 0;
  let over: RunDetail | undefined;
  for await (const { event, data } of followRun(client, runId, context)) {
    if (event === "run.event_appended") {
      const told = RunEventView.parse(data);
      const line = eventLine(told);
      seen = told.seq;
      if (output.json || line) output.item(told, line ?? "");
    }
    if (checked.has(event) || (event === "run.event_appended" && data.type === "permission.requested")) {
      const run = await client.get(`/api/runs/${runId}`, RunDetail);
      over = isOver(run) ? run : undefined;
    }
    // Everything that happened before the end is printed first.
    if (!over || seen < over.eventSeq) continue;
    if (!output.json) output.item(over, endOf(over, output.columns));
    return over;
  }
  return undefined;
}

/** The end of the view: the open gate, or the outcome. */
function endOf(run: RunDetail, columns: number): string {
  const lines = progressLines(run, { nowMs: Date.now(), columns });
  return lines.slice(lines.lastIndexOf("")).join("\n");
}

const pauseMs = 80;

async function drawUntil(
  client: RunsClient,
  runId: string,
  isOver: (run: RunDetail) => boolean,
  context: CommandContext,
): Promise<RunDetail | undefined> {
  const { output, signal } = context;
  let isStale = true;
  let lastLine: { role: string; text: string } | undefined;
  let wake = () => {};
  let problem: unknown;
  const reading = (async () => {
    for await (const { event, data } of followRun(client, runId, context)) {
      if (event === "transcript.chunk_appended") {
        const text = String(data.content).trimEnd().split("\n").at(-1) ?? "";
        lastLine = { role: String(data.role), text };
      } else if (event !== "heartbeat") isStale = true;
      wake();
    }
  })().catch((error: unknown) => {
    problem = error;
    wake();
  });
  let drawn = 0;
  let run: RunDetail | undefined;
  while (!signal.aborted) {
    if (problem) throw problem;
    if (isStale || !run) {
      isStale = false;
      run = await client.get(`/api/runs/${runId}`, RunDetail);
    }
    const lines = progressLines(run, { nowMs: Date.now(), columns: output.columns, lastLine });
    // Up to the start of the last view, clear to the end of the screen, draw again.
    output.item(run, `${drawn > 0 ? `\u001b[${drawn}A\u001b[J` : ""}${lines.join("\n")}`);
    drawn = lines.reduce((sum, line) => sum + rowsOf(line, output.columns), 0);
    if (isOver(run)) return run;
    await woken(1000, signal, (resolve) => {
      wake = resolve;
    });
    await woken(pauseMs, signal, () => {});
  }
  await reading;
  return undefined;
}

/** A line longer than the terminal's width takes several rows. */
const rowsOf = (line: string, columns: number): number => Math.max(1, Math.ceil(Bun.stringWidth(line) / columns));

function woken(ms: number, signal: AbortSignal, offer: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    offer(end);
  });
}
