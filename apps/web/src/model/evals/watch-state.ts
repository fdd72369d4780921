/**
 * A run under way as the page knows it.
 *
 * - `applyWatch(now, event, data)` what the page shows after an event of the stream; pure.
 */
import { EvalWatch, EvalWatchDelta, type EvalWatchEvent } from "@devflow/protocol";

export type WatchView =
  /** Nothing was heard yet. */
  { readonly is: "unknown" } | { readonly is: "nothing" } | { readonly is: "watching"; readonly run: EvalWatch };

const mostRows = 200;

export function applyWatch(now: WatchView, event: EvalWatchEvent, data: string): WatchView {
  switch (event) {
    case "snapshot": {
      const run = parsed(EvalWatch, data);
      return run ? { is: "watching", run } : now;
    }
    case "delta": {
      const delta = parsed(EvalWatchDelta, data);
      return delta && now.is === "watching" ? { is: "watching", run: changed(now.run, delta) } : now;
    }
    case "nothing":
      return { is: "nothing" };
    case "ready":
    case "heartbeat":
      return now;
  }
}

function changed(run: EvalWatch, { workers, rows, ...rest }: EvalWatchDelta): EvalWatch {
  const fresh = new Map(workers.map((worker) => [worker.pid, worker]));
  const known = run.workers.map((worker) => fresh.get(worker.pid) ?? worker);
  const added = workers.filter(({ pid }) => !run.workers.some((worker) => worker.pid === pid));
  const nos = new Set(rows.map(({ no }) => no));
  // A case that is reported again is one row: the newer.
  const again = new Set(rows.map(({ name, repeat }) => `${repeat} ${name}`));
  const kept = run.rows.filter(({ no, name, repeat }) => !nos.has(no) && !again.has(`${repeat} ${name}`));
  return { ...run, ...rest, workers: [...known, ...added], rows: [...rows, ...kept].slice(0, mostRows) };
}

function parsed<T>(schema: { safeParse(value: unknown): { success: boolean; data?: T } }, data: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}
