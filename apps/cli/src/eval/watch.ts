/**
 * `devflow eval watch`: follows a run in progress. On a terminal, one view that is redrawn in place; otherwise one line per
 * result as it arrives; with `--json`, every snapshot and delta. With `--port`, the live page.
 *
 * Exit code 0: the run ended; 1: its workers died before the end.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { CommandContext, HandlerOf } from "@devflow/core/command";
import { suitesWithPartials, type Watch, watchSuite } from "@devflow/evals/partials";
import { painter } from "../paint.ts";
import type { evalWatchRecord } from "./check-commands.ts";
import { liveLines } from "./live-lines.ts";
import { rowLine, type WatchView, watchLines } from "./watch-view.ts";
import { shortRun, tallyWords } from "./words.ts";

const everyMs = 200;

export const watch: HandlerOf<typeof evalWatchRecord> = async ({ suite, port }, context) => {
  if (port !== undefined) return await (await import("./watch-server.ts")).serveWatch({ suite, port }, context);
  const found = suite ?? (await firstSuite(context));
  if (found === undefined) return 130;
  return await follow(found, context);
};

/** Waits until a worker writes results. */
async function firstSuite(context: CommandContext): Promise<string | undefined> {
  const { home } = context.config();
  let isTold = false;
  while (!context.signal.aborted) {
    const [newest] = await suitesWithPartials(home);
    if (newest !== undefined) return newest;
    if (!isTold) {
      context.output.note("No run in progress. To start one: devflow eval check <cases> <outputs>");
      isTold = true;
    }
    await wait(context.signal);
  }
  return undefined;
}

async function follow(suite: string, context: CommandContext): Promise<number> {
  const { output, signal } = context;
  const watching = watchSuite(context.config().home, suite);
  const live = output.isTerminal && !output.json ? liveLines(output) : undefined;
  const view = (): WatchView => ({ nowMs: Date.now(), columns: output.columns, paint: painter(context) });
  let last: Watch | undefined;
  let isTold = false;
  // For a moment no worker may be alive: before the first one starts, or while one is replaced.
  let idleReads = 0;
  let isOver = false;
  while (!signal.aborted && !isOver) {
    const news = await watching.read();
    if (news.event === "nothing") {
      if (!isTold) output.note(`No results of ${suite} yet. Waiting; stop with Ctrl-C.`);
      isTold = true;
    } else {
      last = news.watch;
      if (output.json && news.event !== "same") output.item(news, "");
      else if (live) live.draw(watchLines(last, view()), { isLast: true });
      else if (news.event !== "same") {
        const rows = news.event === "delta" ? news.delta.rows : news.watch.rows;
        for (const row of rows.toReversed()) output.item(row, rowLine(row, view()));
      }
      idleReads = last.state === "running" ? 0 : idleReads + 1;
      isOver = idleReads > (last.state === "died" ? allowedIdleReads : 0);
    }
    if (!isOver) await wait(signal);
  }
  if (last && isOver) return end(last, context);
  output.note("The run continues. To watch it again: devflow eval watch");
  return 130;
}

/** Three seconds for a new worker to start. */
const allowedIdleReads = 15;

function end(watch: Watch, context: CommandContext): number {
  const { output } = context;
  if (watch.state === "died") {
    for (const warning of watch.warnings) output.note(warning);
    const next = `devflow eval push --partials ${/^[\w./-]+$/.test(watch.suite) ? watch.suite : `'${watch.suite}'`}`;
    output.note(`All workers have ended. To store the finished results: ${next}`);
    return 1;
  }
  if (!output.json && !output.isTerminal) output.item(watch, tallyWords(watch.tally));
  const shown = watch.runId === null ? "" : ` See it: devflow eval show ${shortRun(watch.runId)}`;
  output.note(`The run ended.${shown}`);
  return 0;
}

const wait = (signal: AbortSignal): Promise<unknown> => pause(everyMs, undefined, { signal }).catch(() => undefined);
