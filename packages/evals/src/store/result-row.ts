/**
 * A result without its texts, for lists, compare and history. A run's rows are stored separately from its results, so that ten
 * thousand rows can be read without ten thousand outputs.
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
  /** Its index in the run, 0-based, for reading the complete result. */
  readonly ordinal: number;
  /** Number of tool calls in its output; null if the output has none recorded. */
  readonly tools: number | null;
  readonly cost: ResultCost | null;
}

/** Null if no usage was reported. */
export interface ResultCost {
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  /** Some of its tokens have no known price, so the sums are too low. */
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
