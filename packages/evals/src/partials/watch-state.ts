/**
 * The state of a run in progress, and what changed since the last read. Pure.
 *
 * - `watchState(before, read, facts)` the next state; `delta` is the change since `before`, null if nothing changed; `isNewRun`
 *   means that viewers need a new snapshot.
 *
 * `running`: a worker is alive. `finished`: every worker reported that it finished. `died`: no worker is alive, and some worker,
 * or the process that led them, ended without reporting it.
 */
import type { PriceBook } from "@devflow/prices";
import type { DeepReadonly, EvalWatch, EvalWatchDelta, EvalWatchRow, EvalWatchWorker } from "@devflow/protocol";
import type { PartialAsked } from "../check/index.ts";
import { CostTally } from "../costs/run-costs.ts";
import type { EvalResult, EvalTotals, ResultStatus } from "../results/result.ts";
import { meanScore } from "../store/index.ts";
import { mergePartials } from "./merge-partials.ts";
import type { ReadPartials, Worker, WorkerPartial } from "./partials.ts";
import { timeLeft } from "./time-left.ts";

export type WatchWorker = Readonly<EvalWatchWorker>;
export type WatchRow = Readonly<EvalWatchRow>;
/** Rows newest first, at most `mostRows`. */
export type Watch = DeepReadonly<EvalWatch>;
/** All small members, only the changed workers, only the new rows. */
export type WatchDelta = DeepReadonly<EvalWatchDelta>;

export const mostRows = 200;

export interface WatchMemory {
  readonly watch: Watch;
  readonly delta: WatchDelta | null;
  readonly isNewRun: boolean;
  /** The results seen so far, by worker and index in its file. */
  readonly seen: ReadonlyMap<string, WatchRow>;
}

export interface WatchFacts {
  readonly nowMs: number;
  /** Undefined: no usage so far. */
  readonly prices: PriceBook | undefined;
}

export function watchState(
  before: WatchMemory | undefined,
  read: ReadPartials,
  { nowMs, prices }: WatchFacts,
): WatchMemory | undefined {
  const merged = mergePartials(read);
  const first = read.partials[0];
  if (!merged || !first) return undefined;
  const runId = first.givenRunId;
  const isNewRun = !before || before.watch.runId !== runId || before.watch.startedAt !== merged.run.at;
  const old = isNewRun ? undefined : before;
  const cost = costOf(merged.results, merged.run.costs, merged.run.at, prices);
  const { seen, added } = seeRows(old?.seen ?? new Map(), read.partials, cost.usdOf);
  const workers = read.partials.filter(({ worker }) => !worker.isCoordinator).map(({ worker }) => workerView(worker));
  const expected = expectedOf(read.partials);
  const state = stateOf(read.partials);
  const done = merged.results.length;
  const finishes = read.partials.flatMap(({ results }) => results.flatMap(finishedMs));
  const next: Omit<Watch, "seq" | "updatedAt"> = {
    suite: read.suite,
    runId,
    label: merged.run.label,
    tier: merged.run.tier,
    startedAt: merged.run.at,
    state,
    done,
    expected,
    tally: tallyOf(merged.results),
    cost: cost.sum,
    eta: state === "running" && expected !== null ? timeLeft(finishes, expected - done, nowMs) : null,
    workers,
    rows: [...added.toReversed(), ...(old?.watch.rows ?? [])].slice(0, mostRows),
    warnings: merged.warnings.slice(0, 20),
    budgetUsd: budgetOf(first),
  };
  const hasChanged = !old || added.length > 0 || facts(old.watch) !== facts(next);
  const updatedAt = hasChanged ? new Date(nowMs).toISOString() : (old?.watch.updatedAt ?? "");
  const watch = { ...next, updatedAt, seq: (old?.watch.seq ?? 0) + (hasChanged ? 1 : 0) };
  const delta = hasChanged && old ? deltaOf(old.watch, watch, added) : null;
  return { watch, delta, isNewRun, seen };
}

/** What viewers must be told about; the time left needs no message. */
const facts = ({ state, done, expected, tally, cost, workers, warnings }: Omit<Watch, "seq" | "updatedAt">): string =>
  JSON.stringify([state, done, expected, tally, cost, workers, warnings]);

function deltaOf(before: Watch, now: Watch, added: readonly WatchRow[]): WatchDelta {
  const { suite: _suite, runId: _run, label: _label, tier: _tier, startedAt: _at, budgetUsd: _budget, ...rest } = now;
  const known = new Map(before.workers.map((worker) => [worker.pid, JSON.stringify(worker)]));
  return {
    ...rest,
    workers: now.workers.filter((worker) => known.get(worker.pid) !== JSON.stringify(worker)),
    rows: added.toReversed().slice(0, mostRows),
  };
}

function stateOf(partials: readonly WorkerPartial[]): Watch["state"] {
  const leader = partials.find(({ worker }) => worker.isCoordinator)?.worker;
  // While the leader is alive it replaces dead workers, and it reports when the run is done.
  if (leader) return leader.state === "dead" ? "died" : leader.state;
  const states = new Set(partials.map(({ worker }) => worker.state));
  if (states.has("running")) return "running";
  return states.has("dead") ? "died" : "finished";
}

function budgetOf({ run }: WorkerPartial): number | null {
  const { asked } = run.extra as { asked?: Partial<PartialAsked> };
  return typeof asked?.max_usd === "number" ? asked.max_usd : null;
}

/** The number of cases from the run, or else the sum over all workers, if each gives one. */
function expectedOf(partials: readonly WorkerPartial[]): number | null {
  const planned = partials.map(({ run }) => run.extra.planned).find((count) => typeof count === "number");
  if (typeof planned === "number") return planned;
  const each = partials.filter(({ worker }) => !worker.isCoordinator).map(({ worker }) => worker.expected);
  return each.every((count) => count !== null) ? each.reduce<number>((sum, count) => sum + (count ?? 0), 0) : null;
}

const workerView = ({ pid, state, results, expected, running, updatedAt }: Worker): WatchWorker => ({
  pid,
  state,
  results,
  expected,
  running: state === "finished" ? null : running,
  updatedAt,
});

type UsdOf = (result: EvalResult) => number | null;

/** Files only grow, so a result is identified by its worker and its index. */
function seeRows(known: ReadonlyMap<string, WatchRow>, partials: readonly WorkerPartial[], usdOf: UsdOf) {
  const unseen = partials.flatMap(({ worker, results }) =>
    results.flatMap((result, index) => {
      const key = `${worker.pid} ${index}`;
      return known.has(key) ? [] : [{ key, result, pid: worker.pid, at: finishedMs(result)[0] ?? 0 }];
    }),
  );
  const added = unseen
    .sort((a, b) => a.at - b.at)
    .map(({ key, result, pid }, index) => ({ key, row: rowOf(result, known.size + index, pid, usdOf(result)) }));
  const seen = new Map(known);
  for (const { key, row } of added) seen.set(key, row);
  return { seen, added: added.map(({ row }) => row) };
}

export function rowOf(result: EvalResult, no: number, worker: number, usd: number | null): WatchRow {
  const { name, category, status, repeat, durationMs, scores, error, failures } = result;
  const { variant } = result.extra as { variant?: unknown };
  const problem = error ?? failures[0]?.message ?? null;
  return {
    no,
    name: name.slice(0, 300),
    variant: typeof variant === "string" ? variant.slice(0, 200) : null,
    category,
    status,
    repeat,
    durationMs,
    usd,
    score: meanScore(scores),
    problem: problem === null || status === "pass" ? null : problem.slice(0, 300),
    worker,
  };
}

function finishedMs({ extra }: EvalResult): number[] {
  const told = (extra as { finished_at?: unknown }).finished_at;
  const time = typeof told === "string" ? Date.parse(told) : Number.NaN;
  return Number.isNaN(time) ? [] : [time];
}

function tallyOf(results: readonly EvalResult[]): EvalTotals {
  const count = (status: ResultStatus) => results.filter((result) => result.status === status).length;
  return {
    total: results.length,
    passed: count("pass"),
    failed: count("fail"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

function costOf(
  results: readonly EvalResult[],
  summed: Parameters<CostTally["finish"]>[0],
  at: string,
  prices: PriceBook | undefined,
): { readonly sum: Watch["cost"]; readonly usdOf: UsdOf } {
  if (!prices) return { sum: { actualUsd: 0, estimatedUsd: 0, unpricedCalls: 0 }, usdOf: () => null };
  const tally = new CostTally(prices, at);
  for (const { usage } of results) for (const one of usage) tally.add(one);
  const { actualUsd, estimatedUsd, unpricedCalls } = tally.finish(summed);
  const usdOf: UsdOf = ({ usage }) => {
    const priced = usage.flatMap((one) => prices.price(one, at).usd ?? []);
    return priced.length > 0 ? priced.reduce((sum, usd) => sum + usd, 0) : null;
  };
  return { sum: { actualUsd, estimatedUsd, unpricedCalls }, usdOf };
}
