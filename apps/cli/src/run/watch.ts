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
import { followRun, type StreamFrame, withTicks } from "./run-stream.ts";
import { connectRuns, type RunsClient } from "./runs-client.ts";
import { askingLanes, hasEnded, isAsked, shortId } from "./words.ts";

/** Lanes have streams of their own; what they ask is looked up as often as this. */
const lanesEveryMs = 2_000;

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
  const isOver = (run: RunDetail) =>
    (hasEnded(run) && run.hasReport) || (untilGate && (isAsked(run) || askingLanes(run).length > 0));
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
  let seen = 0;
  let over: RunDetail | undefined;
  let latest: RunDetail | undefined;
  for await (const frame of withTicks(followRun(client, runId, context), lanesEveryMs)) {
    if (frame?.event === "run.event_appended") {
      const told = RunEventView.parse(frame.data);
      const line = eventLine(told);
      seen = told.seq;
      if (output.json || line) output.item(told, line ?? "");
    }
    if (frame ? isTelling(frame) : latest && hasLanesAtWork(latest)) {
      latest = await client.get(`/api/runs/${runId}`, RunDetail);
      over = isOver(latest) ? latest : undefined;
    }
    // Everything that happened before the end is printed first.
    if (!over || seen < over.eventSeq) continue;
    if (!output.json) output.item(over, endOf(over, output.columns));
    return over;
  }
  return undefined;
}

const telling: ReadonlySet<string> = new Set(["ready", "run.state_changed", "approval.created", "report.written"]);
const tellingEvents: ReadonlySet<unknown> = new Set(["permission.requested", "lane.started"]);

/** Whether the run may be over for the one who watches it. */
const isTelling = ({ event, data }: StreamFrame): boolean =>
  telling.has(event) || (event === "run.event_appended" && tellingEvents.has(data.type));

const hasLanesAtWork = ({ tasks }: RunDetail): boolean => tasks.some(({ state }) => state === "working");

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
  let run: RunDetail | undefined;
  let isStale = true;
  let lastLine: { role: string; text: string } | undefined;
  let wake = () => {};
  let problem: unknown;
  const reading = (async () => {
    for await (const frame of withTicks(followRun(client, runId, context), lanesEveryMs)) {
      if (!frame) {
        if (!run || !hasLanesAtWork(run)) continue;
        isStale = true;
        wake();
        continue;
      }
      const { event, data } = frame;
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
