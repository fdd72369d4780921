/**
 * `devflow eval watch`: a run while its workers write. On a terminal one view that is redrawn in place; otherwise a line
 * for each result as it lands; with `--json` every snapshot and delta. With `--port` the live page.
 *
 * Exit code 0 when the run ended, 1 when its workers died before the end.
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

/** Waits until somebody writes. */
async function firstSuite(context: CommandContext): Promise<string | undefined> {
  const { home } = context.config();
  let isTold = false;
  while (!context.signal.aborted) {
    const [newest] = await suitesWithPartials(home);
    if (newest !== undefined) return newest;
    if (!isTold) {
      context.output.note("Nobody writes yet. Start a run: devflow eval check <cases> <outputs>");
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
  // While its leader starts another worker, or the first ones begin, nobody may be at work for a moment.
  let quietLooks = 0;
  let isOver = false;
  while (!signal.aborted && !isOver) {
    const news = await watching.look();
    if (news.event === "nothing") {
      if (!isTold) output.note(`Nobody writes results of ${suite} yet. Waiting; stop with Ctrl-C.`);
      isTold = true;
    } else {
      last = news.watch;
      if (output.json && news.event !== "same") output.item(news, "");
      else if (live) live.draw(watchLines(last, view()), { isLast: true });
      else if (news.event !== "same") {
        const rows = news.event === "delta" ? news.delta.rows : news.watch.rows;
        for (const row of rows.toReversed()) output.item(row, rowLine(row, view()));
      }
      quietLooks = last.state === "running" ? 0 : quietLooks + 1;
      isOver = quietLooks > (last.state === "died" ? patientLooks : 0);
    }
    if (!isOver) await wait(signal);
  }
  if (last && isOver) return end(last, context);
  output.note("The run goes on. Watch it again: devflow eval watch");
  return 130;
}

/** Three seconds in which somebody may come to life again. */
const patientLooks = 15;

function end(watch: Watch, context: CommandContext): number {
  const { output } = context;
  if (watch.state === "died") {
    for (const warning of watch.warnings) output.note(warning);
    const next = `devflow eval push --partials ${/^[\w./-]+$/.test(watch.suite) ? watch.suite : `'${watch.suite}'`}`;
    output.note(`Nobody is at work any more. Store what is there: ${next}`);
    return 1;
  }
  if (!output.json && !output.isTerminal) output.item(watch, tallyWords(watch.tally));
  const shown = watch.runId === null ? "" : ` See it: devflow eval show ${shortRun(watch.runId)}`;
  output.note(`The run ended.${shown}`);
  return 0;
}

const wait = (signal: AbortSignal): Promise<unknown> => pause(everyMs, undefined, { signal }).catch(() => undefined);
