/**
 * The state of an eval run in progress.
 *
 * - `applyWatch(now, event, data)` the state after an event of the stream; pure.
 */
import { EvalWatch, EvalWatchDelta, type EvalWatchEvent } from "@devflow/protocol";

export type WatchView =
  /** No event was received yet. */
  { readonly is: "unknown" } | { readonly is: "nothing" } | { readonly is: "watching"; readonly run: EvalWatch };

const maxRows = 200;

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
  // A case that is reported again replaces its older row.
  const again = new Set(rows.map(({ name, repeat }) => `${repeat} ${name}`));
  const kept = run.rows.filter(({ no, name, repeat }) => !nos.has(no) && !again.has(`${repeat} ${name}`));
  return { ...run, ...rest, workers: [...known, ...added], rows: [...rows, ...kept].slice(0, maxRows) };
}

function parsed<T>(schema: { safeParse(value: unknown): { success: boolean; data?: T } }, data: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
}
