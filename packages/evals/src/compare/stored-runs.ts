/**
 * Reads stored runs for compare, trend, flaky and summary.
 *
 * - `storedRows(store, lines)` results without their texts.
 * - `storedWhole(store, lines)` results with their texts, and the cost of each at the prices on the day of the run.
 * - `resultOfRow(row)` one result without its texts.
 * - `runName(line)` the run's unique name, `suite/id`; `suiteTierKey(line)` a key of its suite and tier, to group by.
 */
import type { EvalResult, EvalRun } from "../results/result.ts";
import { type EvalStore, type ResultRow, type RunLine, usdOf } from "../store/index.ts";
import type { ComparedRun } from "./side.ts";

/** What runs of one suite and tier share, and no others. */
export const suiteTierKey = ({ suite, tier }: Pick<RunLine, "suite" | "tier">): string => `${suite}\u0000${tier}`;

export const runName = ({ suite, runId }: Pick<RunLine, "suite" | "runId">): string => `${suite}/${runId}`;

export async function storedRows(store: EvalStore, lines: readonly RunLine[]): Promise<ComparedRun[]> {
  const stored = await store.resultsFor(lines.map(runName));
  return stored.map(({ record, rows }) => ({ run: record.run, results: rows.map(resultOfRow) }));
}

export interface WholeRuns {
  readonly runs: readonly ComparedRun[];
  readonly costOf: (result: EvalResult, run: EvalRun) => number | null;
}

export async function storedWhole(store: EvalStore, lines: readonly RunLine[]): Promise<WholeRuns> {
  const costs = new WeakMap<EvalResult, number | null>();
  const runs: ComparedRun[] = [];
  for (const line of lines) {
    const [stored] = await store.resultsFor([runName(line)]);
    const results: EvalResult[] = [];
    for await (const block of store.allResults(runName(line))) results.push(...block);
    for (const [at, result] of results.entries()) costs.set(result, usdOf(stored?.rows[at]?.cost ?? null));
    if (stored) runs.push({ run: stored.record.run, results });
  }
  return { runs, costOf: (result) => costs.get(result) ?? null };
}

/** The fields that the row has; texts stay empty. */
export function resultOfRow({ ordinal: _ordinal, tools: _tools, cost, ...row }: ResultRow): EvalResult {
  const usd = usdOf(cost);
  const nothing = { calls: 1, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    ...row,
    input: null,
    output: null,
    responsePreview: null,
    error: null,
    failures: [],
    usage: cost === null ? [] : [{ model: "", ...nothing, costUsd: cost.isUnpriced && !usd ? null : usd }],
    comparison: null,
    extra: {},
  };
}
