/**
 * What a call will cost at most, before it is made.
 *
 * - `boundOf(prices, ask)` from the length of the prompt and the most tokens that the model may answer with; null if the model
 *   has no price.
 * - `learningEstimate()` the bound at first, later twice the highest cost seen, which is usually far less.
 * - `answerCost(prices, answer, model)` what an answer cost: as reported, or its tokens at the model's price; null if unknown.
 */
import type { PriceBook } from "@devflow/prices";
import type { ProviderAnswer } from "../providers/provider.ts";

export interface Estimate {
  /** Null: unknown. */
  of(boundUsd: number | null): number | null;
  learn(usd: number): void;
}

/** With fewer answers than this, their costs say little about the next. */
const enough = 10;
const margin = 2;

/** Without a bound, one cost is all there is to go by. */
export function learningEstimate(): Estimate {
  let seen = 0;
  let highest = 0;
  return {
    of(boundUsd) {
      if (boundUsd === null) return seen === 0 ? null : highest * margin;
      return seen < enough ? boundUsd : Math.min(boundUsd, highest * margin);
    },
    learn(usd) {
      seen += 1;
      highest = Math.max(highest, usd);
    },
  };
}

/** Few languages and tokenizers need more than a token for two characters; messages add some of their own. */
export const tokensAtMost = (characters: number): number => Math.ceil(characters / 2) + 50;

export function boundOf(
  prices: PriceBook,
  { model, characters, maxTokens }: { model: string; characters: number; maxTokens: number },
  at: Date,
): number | null {
  const usage = { model, calls: 1, inputTokens: tokensAtMost(characters), outputTokens: maxTokens };
  return prices.price({ ...usage, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null }, at).usd;
}

export function answerCost(
  prices: PriceBook,
  { costUsd, tokens }: Pick<ProviderAnswer, "costUsd" | "tokens">,
  model: string | undefined,
  at: Date,
): number | null {
  if (costUsd !== undefined) return costUsd;
  if (!tokens || model === undefined) return null;
  const usage = {
    model,
    calls: 1,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    costUsd: null,
  };
  return prices.price(usage, at).usd;
}
