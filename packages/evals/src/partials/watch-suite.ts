/**
 * Reads the partials of a suite repeatedly.
 *
 * - `watchSuite(home, suite)` its `read()` returns what is new since the last read: a `snapshot` first and whenever another run
 *   starts, a `delta`, `same`, or `nothing` if there are no partials.
 *
 * When a run is stored, its partials are removed. Results that the last read missed are then read from the store, so that a
 * viewer always sees the end.
 */

import { join } from "node:path";
import type { PriceBook } from "@devflow/prices";
import type { EvalResult } from "../results/result.ts";
import { openStore } from "../store/index.ts";
import { partialReader, type ReadPartials } from "./partials.ts";
import { mostRows, rowOf, type Watch, type WatchDelta, type WatchMemory, watchState } from "./watch-state.ts";

export type WatchNews =
  | { readonly event: "snapshot"; readonly watch: Watch }
  | { readonly event: "delta"; readonly watch: Watch; readonly delta: WatchDelta }
  | { readonly event: "same"; readonly watch: Watch }
  | { readonly event: "nothing" };

export interface SuiteWatch {
  read(): Promise<WatchNews>;
}

export interface WatchOptions {
  readonly now?: () => number;
}

export function watchSuite(home: string, suite: string, { now = Date.now }: WatchOptions = {}): SuiteWatch {
  const reader = partialReader(home, suite, { nowMs: now() });
  let memory: WatchMemory | undefined;
  let prices: PriceBook | undefined;
  let isOver = false;
  const readOnce = async (): Promise<WatchNews> => {
    const read = await reader.read();
    prices ??= usesModels(read) ? await openPriceBook(home) : undefined;
    const next = watchState(memory, read, { nowMs: now(), prices });
    const base = memory ?? next;
    if (!base) return { event: "nothing" };
    if (!next || (await isBeingRemoved(next))) {
      if (isOver) return { event: "same", watch: base.watch };
      isOver = true;
      const isFirst = memory === undefined;
      memory = await endOf(home, base, now());
      const { watch, delta } = memory;
      return isFirst || !delta ? { event: "snapshot", watch } : { event: "delta", watch, delta };
    }
    isOver = false;
    memory = next;
    if (next.isNewRun) return { event: "snapshot", watch: next.watch };
    return next.delta ? { event: "delta", watch: next.watch, delta: next.delta } : { event: "same", watch: next.watch };
  };
  /** Files are removed one by one, so the rest may look like a run with fewer results. The store has them all. */
  const isBeingRemoved = async ({ watch, isNewRun }: WatchMemory): Promise<boolean> => {
    const known = isNewRun ? undefined : memory?.watch;
    if (known && isOver) return true;
    const pids = new Set(watch.workers.map(({ pid }) => pid));
    const hasLess = known !== undefined && (watch.done < known.done || known.workers.some(({ pid }) => !pids.has(pid)));
    const isShort = watch.state === "finished" && watch.expected !== null && watch.done < watch.expected;
    if ((!hasLess && !isShort) || watch.runId === null) return false;
    return (await storedRun(home, `${watch.suite}/${watch.runId}`)) !== undefined;
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    read() {
      // Serialised: an older read must not finish after a newer one.
      const reading = last.then(readOnce, readOnce);
      last = reading.catch(() => undefined);
      return reading;
    },
  };
}

const usesModels = ({ partials }: ReadPartials): boolean =>
  partials.some(({ run, results }) => run.costs.length > 0 || results.some(({ usage }) => usage.length > 0));

async function openPriceBook(home: string): Promise<PriceBook> {
  const { openPrices } = await import("@devflow/prices");
  return await openPrices({ overlayFile: join(home, "prices.json") });
}

/** The partials are gone: the run is in the store, or they were deleted. */
async function endOf(home: string, { watch, seen }: WatchMemory, nowMs: number): Promise<WatchMemory> {
  const stored = watch.runId === null ? undefined : await storedRun(home, `${watch.suite}/${watch.runId}`);
  const known = new Set([...seen.values()].map(({ name, repeat }) => `${name}\n${repeat}`));
  const missed = (stored?.results ?? []).filter(({ name, repeat }) => !known.has(`${name.slice(0, 300)}\n${repeat}`));
  const added = missed.map((result, index) => rowOf(result, seen.size + index, 0, null));
  const tally = stored?.totals ?? watch.tally;
  const ended: Watch = {
    ...watch,
    seq: watch.seq + 1,
    updatedAt: new Date(nowMs).toISOString(),
    state: stored ? "finished" : watch.state === "running" ? "finished" : watch.state,
    done: tally.total,
    tally,
    cost: stored?.cost ?? watch.cost,
    eta: null,
    workers: watch.workers.map((worker) =>
      worker.state === "running" ? { ...worker, state: "finished", running: null } : worker,
    ),
    rows: [...added.toReversed(), ...watch.rows].slice(0, mostRows),
  };
  const { suite: _suite, runId: _run, label: _label, tier: _tier, startedAt: _at, ...delta } = ended;
  return {
    watch: ended,
    delta: { ...delta, rows: added.toReversed().slice(0, mostRows) },
    isNewRun: false,
    seen: new Map([...seen, ...added.map((row) => [`0 ${row.no}`, row] as const)]),
  };
}

async function storedRun(home: string, id: string) {
  const store = await openStore(home);
  try {
    const { line, record } = await store.run(id);
    const results: EvalResult[] = [];
    for await (const block of store.allResults(id)) results.push(...block);
    const { actualUsd, estimatedUsd, unpricedCalls } = line;
    return { totals: record.run.totals, results, cost: { actualUsd, estimatedUsd, unpricedCalls } };
  } catch {
    return undefined;
  } finally {
    store.close();
  }
}
