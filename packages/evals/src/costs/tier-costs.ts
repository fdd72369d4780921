/**
 * The cost of a run with the models of another tier.
 *
 * - `costAtTier(book, cost, tier, at)` the same calls and tokens on that tier's models. Models of providers without tiers keep
 *   their cost and are listed.
 */
import type { PriceBook } from "@devflow/prices";
import { type ModelTier, tierLadders } from "../model-tiers.ts";
import type { ModelCost, RunCost } from "./run-costs.ts";

export { modelTiers as costTiers } from "../model-tiers.ts";

export interface TierCost {
  readonly tier: ModelTier;
  /** Null: nothing could be priced. */
  readonly usd: number | null;
  /** Models without a counterpart in the tier; their own cost is in the sum. */
  readonly unchanged: readonly string[];
  /** Models without a price; the sum is too low. */
  readonly unpriced: readonly string[];
}

export function costAtTier(book: PriceBook, cost: RunCost, tier: ModelTier, at: string): TierCost {
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
