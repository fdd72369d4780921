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
import { runName, variantTitle } from "../compare/index.ts";
import type { EvalResult } from "../results/result.ts";
import { openStore, type RunLine } from "../store/index.ts";
import { partialReader, type ReadPartials } from "./partials.ts";
import {
  mostRows,
  rowOf,
  type Watch,
  type WatchDelta,
  type WatchMemory,
  type WatchRow,
  watchState,
} from "./watch-state.ts";

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
  const keyOf = ({ name, repeat, variant }: WatchRow) => `${name}\n${repeat}\n${variant ?? ""}`;
  const known = new Set([...seen.values()].map(keyOf));
  const rows = (stored?.results ?? []).map(({ result, variant }) => ({ ...rowOf(result, 0, 0, null), variant }));
  const added = rows.filter((row) => !known.has(keyOf(row))).map((row, index) => ({ ...row, no: seen.size + index }));
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
  const {
    suite: _suite,
    runId: _run,
    label: _label,
    tier: _tier,
    startedAt: _at,
    budgetUsd: _budget,
    ...delta
  } = ended;
  return {
    watch: ended,
    delta: { ...delta, rows: added.toReversed().slice(0, mostRows) },
    isNewRun: false,
    seen: new Map([...seen, ...added.map((row) => [`0 ${row.no}`, row] as const)]),
  };
}

/** A run, or all runs of the matrix that it names. */
async function storedRun(home: string, id: string) {
  const store = await openStore(home);
  try {
    // The runs of a promptfoo suite are numbered.
    const { line } = await store.run(id).catch(() => store.run(`${id}#0`));
    const cells = store.list({ suite: line.suite, tier: line.tier, limit: 1000 }).runs;
    const lines = line.matrix === null ? [line] : cells.filter(({ matrix }) => matrix === line.matrix);
    const results: { readonly result: EvalResult; readonly variant: string | null }[] = [];
    for (const one of lines) {
      const variant = line.matrix === null ? null : variantTitle(one);
      for await (const block of store.allResults(runName(one))) {
        for (const result of block) results.push({ result, variant });
      }
    }
    const sum = (pick: (one: RunLine) => number) => lines.reduce((all, one) => all + pick(one), 0);
    return {
      results,
      totals: {
        total: sum((one) => one.total),
        passed: sum((one) => one.passed),
        failed: sum((one) => one.failed),
        errors: sum((one) => one.errors),
        skipped: sum((one) => one.skipped),
      },
      cost: {
        actualUsd: sum((one) => one.actualUsd),
        estimatedUsd: sum((one) => one.estimatedUsd),
        unpricedCalls: sum((one) => one.unpricedCalls),
      },
    };
  } catch {
    return undefined;
  } finally {
    store.close();
  }
}
