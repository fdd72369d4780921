/**
 * A run in progress, on one screen. Pure.
 *
 * - `watchLines(watch, view)` progress, counts, cost, time left with its interval; workers, dead ones first; the last results.
 * - `rowLine(row, view)` one result.
 */
import { plainLine } from "@devflow/core/plain-text";
import type { Watch, WatchRow, WatchWorker } from "@devflow/evals/partials";
import { fitted } from "../fitted.ts";
import type { Paint } from "../paint.ts";
import { duration, money, percent, plural, span, tallyBar, tallyWords, usd } from "./words.ts";

export interface WatchView {
  readonly nowMs: number;
  readonly columns: number;
  readonly paint: Paint;
}

const barWidth = 36;
const shownRows = 10;
const shownWorkers = 8;

export function watchLines(watch: Watch, view: WatchView): string[] {
  const { paint } = view;
  const { suite, tier, label, startedAt, updatedAt, state, warnings } = watch;
  const until = state === "running" ? view.nowMs : Date.parse(updatedAt);
  const stateWord = {
    running: paint("running", "cyan"),
    finished: paint("finished", "green"),
    died: paint("died", "red"),
  };
  const rows = watch.rows.slice(0, shownRows);
  // Deaths are shown with the workers.
  const remarks = warnings.filter((text) => !/^Worker \d+ died/.test(text)).slice(0, 3);
  return [
    `${paint(plainLine(suite), "bold")}  ${plainLine(label)}, ${tier} tier, ${stateWord[state]}, ${span(until - Date.parse(startedAt))}`,
    ...progress(watch, view),
    ...(watch.workers.length > 0 ? ["", ...workerLines(watch.workers, view)] : []),
    ...(rows.length > 0 ? ["", ...rows.map((row) => rowLine(row, view))] : []),
    ...(remarks.length > 0 ? ["", ...remarks.map((text) => `${paint("warning", "yellow")}  ${plainLine(text)}`)] : []),
  ];
}

function progress({ done, expected, tally, cost, eta, state }: Watch, { paint }: WatchView): string[] {
  const share = expected === null ? null : done / Math.max(1, expected);
  const filled = Math.min(barWidth, Math.round((share ?? 1) * barWidth));
  const part = filled === 0 ? "" : tallyBar(tally, filled, paint);
  const bar = `${part}${paint("·".repeat(barWidth - filled), "dim")}`;
  const count = expected === null ? `${done} done` : `${done}/${expected}  ${percent(share ?? 0)}`;
  const spent = money(cost);
  const left =
    eta && state === "running" ? `about ${span(eta.ms)} left (${span(eta.lowMs)} to ${span(eta.highMs)})` : "";
  return [`${bar}  ${count}`, [tallyWords(tally, paint), spent, left].filter(Boolean).join("   ")];
}

const rank = { dead: 0, running: 1, finished: 2 } as const;

function workerLines(workers: readonly WatchWorker[], { paint, columns }: WatchView): string[] {
  const sorted = workers.toSorted((a, b) => rank[a.state] - rank[b.state] || a.pid - b.pid);
  const width = Math.max(...sorted.map(({ pid }) => String(pid).length));
  const lines = sorted.slice(0, shownWorkers).map(({ pid, state, results, expected, running }) => {
    const word =
      state === "dead" ? paint("died    ", "red") : state === "running" ? "running " : paint("finished", "dim");
    const count = expected === null ? plural(results, "result") : `${results}/${expected} results`;
    const at = running === null ? "" : ` on ${plainLine(running)}`;
    const plain = `  worker ${String(pid).padStart(width)}  ${"finished"}  ${count.padEnd(14)}`;
    return `  worker ${String(pid).padStart(width)}  ${word}  ${count.padEnd(14)}${fitted(at, Math.max(10, columns - plain.length))}`;
  });
  const rest = sorted.length - lines.length;
  return [...lines, ...(rest > 0 ? [`  and ${plural(rest, "more worker")}`] : [])];
}

const words = { pass: "pass ", fail: "FAIL ", error: "ERROR", skipped: "skip " } as const;
const colours = { pass: "green", fail: "red", error: "yellow", skipped: "dim" } as const;

export function rowLine(row: WatchRow, { paint, columns }: WatchView): string {
  const variant = row.variant === null ? "" : ` (${plainLine(row.variant)})`;
  const name = `${plainLine(row.name)}${row.repeat > 0 ? ` #${row.repeat + 1}` : ""}${variant}`;
  const width = Math.max(16, Math.min(36, columns - 48));
  const cell = fitted(name, width);
  const score = row.score === null ? "" : row.score.toFixed(2);
  const spent = row.usd === null ? "" : `~${usd(row.usd)}`;
  const head = `${cell}${" ".repeat(Math.max(0, width - Bun.stringWidth(cell)))} ${duration(row.durationMs).padStart(9)}`;
  // The problem replaces the cost: there is room for only one.
  const room = columns - 9 - Bun.stringWidth(head) - 2;
  const rest = row.problem === null ? [spent, score].filter(Boolean).join("  ") : fitted(plainLine(row.problem), room);
  return `  ${paint(words[row.status], colours[row.status])}  ${rest ? `${head}  ${paint(rest, "dim")}` : head.trimEnd()}`;
}
