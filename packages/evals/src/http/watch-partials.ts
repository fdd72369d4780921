/**
 * Runs under way as their workers' partials tell them.
 *
 * - `watchPartials(home, defaults)` a `WatchSource`.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { EvalStatus, EvalTotals, EvalWatch, EvalWatchRow } from "@devflow/protocol";
import { mergePartials } from "../partials/merge-partials.ts";
import { type ReadPartials, readPartials } from "../partials/partials.ts";
import type { EvalResult } from "../results/result.ts";
import { meanScore } from "../store/result-row.ts";
import type { WatchSource } from "./watch-stream.ts";

const mostRows = 200;

export function watchPartials(home: string, { now = Date.now }: { readonly now?: () => number } = {}): WatchSource {
  const folder = join(home, "eval-partials");
  const suites = new Map<string, WatchedRun>();
  return {
    async suites() {
      const names = await readdir(folder).catch(() => [] as string[]);
      return names.flatMap((name) => {
        try {
          return decodeURIComponent(name);
        } catch {
          return [];
        }
      });
    },
    async read(suite) {
      const read = await readPartials(home, suite, { nowMs: now() });
      const [first] = read.partials;
      if (!first) {
        suites.delete(suite);
        return undefined;
      }
      const id = first.givenRunId ?? "";
      let run = suites.get(suite);
      if (run?.id !== id) {
        run = new WatchedRun(id);
        suites.set(suite, run);
      }
      return run.see(read, now());
    },
  };
}

/** Remembers which results were seen, so that each is a new row once. */
class WatchedRun {
  readonly id: string;
  readonly #rows = new Map<string, EvalWatchRow>();
  #no = 0;
  #last = "";
  #seq = 0;

  constructor(id: string) {
    this.id = id;
  }

  see(read: ReadPartials, nowMs: number): EvalWatch | undefined {
    const merged = mergePartials(read);
    if (!merged) return undefined;
    const workerOf = new Map(
      read.partials.flatMap(({ worker, results }) => results.map((result) => [result, worker.pid] as const)),
    );
    for (const result of merged.results) this.#add(result, workerOf.get(result) ?? 0);
    const workers = read.partials.map(({ worker: { pid, state, results, expected, updatedAt } }) => ({
      ...{ pid, state, results, expected, running: null, updatedAt },
    }));
    const isRunning = workers.some(({ state }) => state === "running");
    const hasDied = workers.some(({ state }) => state === "dead");
    const expected = workers.every((worker) => worker.expected !== null)
      ? workers.reduce((sum, worker) => sum + (worker.expected ?? 0), 0)
      : null;
    const done = merged.results.length;
    const view: EvalWatch = {
      suite: read.suite,
      runId: merged.run.runId,
      label: merged.run.label,
      tier: merged.run.tier,
      startedAt: merged.run.at,
      updatedAt:
        workers
          .map(({ updatedAt }) => updatedAt)
          .sort()
          .at(-1) ?? merged.run.at,
      seq: 0,
      state: isRunning ? "running" : hasDied ? "died" : "finished",
      done,
      expected,
      tally: tallyOf(merged.results),
      cost: costOf(merged.results),
      eta: isRunning ? etaOf(merged.results, expected, nowMs - Date.parse(merged.run.at)) : null,
      workers,
      rows: [...this.#rows.values()].toReversed().slice(0, mostRows),
      warnings: merged.warnings.slice(0, 20),
    };
    const now = JSON.stringify({ ...view, eta: null });
    if (now !== this.#last) this.#seq += 1;
    this.#last = now;
    return { ...view, runId: this.id || null, seq: this.#seq };
  }

  #add(result: EvalResult, worker: number): void {
    const key = `${result.name}\u0000${result.inputSha}\u0000${result.repeat}`;
    const known = this.#rows.get(key);
    const row = {
      no: known?.no ?? this.#no,
      ...rowOf(result),
      worker,
    };
    if (known && JSON.stringify(known) === JSON.stringify(row)) return;
    this.#rows.delete(key);
    this.#rows.set(key, { ...row, no: this.#no });
    this.#no += 1;
  }
}

function rowOf(result: EvalResult): Omit<EvalWatchRow, "no" | "worker"> {
  const problem = result.error ?? result.failures[0]?.message ?? null;
  return {
    name: result.name.slice(0, 160),
    category: result.category?.slice(0, 60) ?? null,
    status: result.status,
    repeat: result.repeat,
    durationMs: result.durationMs,
    usd: usdOf(result),
    score: meanScore(result.scores),
    problem: problem?.slice(0, 180) ?? null,
  };
}

function usdOf({ usage }: EvalResult): number | null {
  if (usage.length === 0 || usage.some(({ costUsd }) => costUsd === null)) return null;
  return usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

const countedAs = { pass: "passed", fail: "failed", error: "errors", skipped: "skipped" } as const satisfies Record<
  EvalStatus,
  keyof EvalTotals
>;

function tallyOf(results: readonly EvalResult[]): EvalTotals {
  const tally = { total: results.length, passed: 0, failed: 0, errors: 0, skipped: 0 };
  for (const { status } of results) tally[countedAs[status]] += 1;
  return tally;
}

function costOf(results: readonly EvalResult[]): EvalWatch["cost"] {
  const usage = results.flatMap((result) => result.usage);
  return {
    actualUsd: usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    estimatedUsd: 0,
    unpricedCalls: usage.reduce((sum, { costUsd, calls }) => sum + (costUsd === null ? Math.max(1, calls) : 0), 0),
  };
}

/** From how long each result took; the interval is what the scatter of these leaves open. */
function etaOf(results: readonly EvalResult[], expected: number | null, elapsedMs: number): EvalWatch["eta"] {
  const done = results.length;
  const left = (expected ?? 0) - done;
  if (done < 3 || left <= 0 || elapsedMs <= 0) return null;
  const times = results.flatMap(({ durationMs }) => durationMs ?? []);
  const mean = times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
  const variance = times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / Math.max(1, times.length - 1);
  const spread = times.length < 3 || mean === 0 ? 1 : Math.sqrt(variance) / mean;
  const ms = (elapsedMs / done) * left;
  const open = Math.min(0.9, 1.96 * spread * Math.sqrt(1 / done + 1 / left));
  return { ms, lowMs: ms * (1 - open), highMs: ms * (1 + open) };
}
