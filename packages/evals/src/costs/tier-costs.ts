/**
 * What a run would have cost with the models of another tier.
 *
 * - `tierLadders` per maker, the model of each tier; a model belongs to a ladder by its maker.
 * - `costAtTier(book, cost, tier, at)` the same calls and tokens on that tier's models; models of makers without a ladder
 *   keep their own cost, and are named.
 */
import type { PriceBook } from "@devflow/prices";
import type { ModelCost, RunCost } from "./run-costs.ts";

export const costTiers = ["fast", "standard", "full"] as const;
export type CostTier = (typeof costTiers)[number];

interface Ladder {
  readonly maker: string;
  readonly matches: RegExp;
  readonly models: Readonly<Record<CostTier, string>>;
}

export const tierLadders: readonly Ladder[] = [
  {
    maker: "Anthropic",
    matches: /claude/i,
    models: { fast: "claude-haiku-4-5", standard: "claude-sonnet-4-6", full: "claude-opus-4-6" },
  },
  {
    maker: "OpenAI",
    matches: /^(?:openai[/:])?(?:gpt-|o\d)/i,
    models: { fast: "gpt-5.4-nano", standard: "gpt-5.4-mini", full: "gpt-5.4" },
  },
  {
    maker: "Google",
    matches: /gemini/i,
    models: { fast: "gemini-2.5-flash-lite", standard: "gemini-2.5-flash", full: "gemini-2.5-pro" },
  },
];

export interface TierCost {
  readonly tier: CostTier;
  /** Null: nothing of it could be priced. */
  readonly usd: number | null;
  /** Models that have no counterpart in the tier; their own cost is in the sum. */
  readonly unchanged: readonly string[];
  /** Models that have no price at all; the sum is too small. */
  readonly unpriced: readonly string[];
}

export function costAtTier(book: PriceBook, cost: RunCost, tier: CostTier, at: string): TierCost {
  const unchanged: string[] = [];
  const unpriced: string[] = [];
  let usd: number | null = null;
  for (const model of cost.models) {
    const ladder = tierLadders.find(({ matches }) => matches.test(model.model));
    const priced = ladder ? priceAs(book, model, ladder.models[tier], at) : ownCost(model);
    if (!ladder) unchanged.push(model.model);
    if (priced === null) unpriced.push(model.model);
    else usd = (usd ?? 0) + priced;
  }
  return { tier, usd, unchanged, unpriced };
}

function priceAs(book: PriceBook, model: ModelCost, name: string, at: string): number | null {
  const { calls, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = model;
  const plain = inputTokens - cacheReadTokens - cacheWriteTokens;
  const usage = {
    model: name,
    calls,
    inputTokens: plain,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: null,
  };
  return book.price(usage, at).usd;
}

const ownCost = ({ actualUsd, estimatedUsd, unpricedCalls }: ModelCost): number | null =>
  unpricedCalls > 0 ? null : actualUsd + estimatedUsd;
