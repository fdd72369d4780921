/**
 * A result without its texts: what lists, compare and history need of it. A run's rows are stored beside its results, so
 * that ten thousand of them are read without reading ten thousand outputs.
 *
 * - `rowOf(result, ordinal, cost)`.
 */
import type { EvalResult } from "../results/result.ts";

type KeptInRow =
  | "name"
  | "category"
  | "tags"
  | "status"
  | "repeat"
  | "inputSha"
  | "expectationsSha"
  | "scores"
  | "durationMs"
  | "turns"
  | "cached";

export interface ResultRow extends Pick<EvalResult, KeptInRow> {
  /** Its place in the run, 0-based: the way to the whole result. */
  readonly ordinal: number;
  /** Tool calls in its output; null when the output tells none. */
  readonly tools: number | null;
  readonly cost: ResultCost | null;
}

/** Null instead of this: no usage was reported. */
export interface ResultCost {
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  /** Some of its tokens have no known price: the sums are too small. */
  readonly isUnpriced: boolean;
}

export function rowOf(result: EvalResult, ordinal: number, cost: ResultCost | null): ResultRow {
  const { name, category, tags, status, repeat, inputSha, expectationsSha, scores, durationMs, turns, cached } = result;
  return {
    ordinal,
    name,
    category,
    tags,
    status,
    repeat,
    inputSha,
    expectationsSha,
    scores,
    durationMs,
    turns,
    tools: toolCalls(result.output),
    cached,
    cost,
  };
}

function toolCalls(output: unknown): number | null {
  const calls = (output as { tool_calls?: unknown } | null)?.tool_calls;
  return Array.isArray(calls) ? calls.length : null;
}

export function meanScore(scores: Readonly<Record<string, number>>): number | null {
  const values = Object.values(scores);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function usdOf(cost: ResultCost | null): number | null {
  if (!cost || (cost.isUnpriced && cost.actualUsd + cost.estimatedUsd === 0)) return null;
  return cost.actualUsd + cost.estimatedUsd;
}
