/**
 * What the calls of a run cost, and will cost.
 *
 * - `cellCosts(cells, prices, now)` estimates for calls and judges, and the cost of answers.
 */
import { DevflowError } from "@devflow/core/errors";
import type { PriceBook } from "@devflow/prices";
import type { UsageRecord } from "../check/index.ts";
import type { ProviderAnswer, ProviderTokens } from "../providers/provider.ts";
import { providerKind } from "../providers/provider-spec.ts";
import { answerCost, boundOf, learningEstimate } from "./cost-estimate.ts";
import type { MatrixCell } from "./plan-matrix.ts";

export interface CellCosts {
  /** Null: unknown. */
  estimate(cell: number, characters: number): number | null;
  judgeEstimate(): number | null;
  /** What an answer cost; null if unknown. */
  answer(cell: number, answer: ProviderAnswer): number | null;
  /** What a failed call cost. */
  tokens(cell: number, tokens: ProviderTokens | undefined): number;
  judges(usage: readonly UsageRecord[]): number;
  /** A budget needs prices: throws if a model has none. */
  refuseUnpriced(): void;
  unpriced(): readonly string[];
}

export function cellCosts(cells: readonly MatrixCell[], prices: PriceBook, now: () => Date): CellCosts {
  const estimates = cells.map(() => learningEstimate());
  const judging = learningEstimate();
  const unpriced = new Set<string>();
  const bound = (cell: number, characters: number): number | null => {
    const { provider, spec } = cells[cell]!;
    const kind = providerKind(spec.id);
    if (provider.model === undefined || !("is" in kind) || kind.is !== "model") return null;
    return boundOf(prices, { model: provider.model, characters, maxTokens: spec.max_tokens }, now());
  };
  return {
    estimate: (cell, characters) => estimates[cell]!.of(bound(cell, characters)),
    judgeEstimate: () => judging.of(null),
    answer(cell, answer) {
      const { provider, spec } = cells[cell]!;
      const { model = (answer.raw as { model?: string } | undefined)?.model } = provider;
      const usd = answerCost(prices, answer, model, now());
      if (usd === null) unpriced.add(spec.id);
      estimates[cell]!.learn(usd ?? 0);
      return usd;
    },
    tokens: (cell, tokens) => answerCost(prices, { tokens }, cells[cell]!.provider.model, now()) ?? 0,
    judges(usage) {
      const usd = usage.reduce((sum, one) => sum + (prices.price(asUsage(one), now()).usd ?? 0), 0);
      judging.learn(usd);
      return usd;
    },
    refuseUnpriced() {
      for (const [index, { provider, spec }] of cells.entries()) {
        const kind = providerKind(spec.id);
        if (!("is" in kind) || kind.is !== "model" || bound(index, 1) !== null) continue;
        throw new DevflowError("input_invalid", {
          details: {
            problem: `--max-usd cannot be kept: ${provider.model} has no known price.`,
            next: "Add its price to prices.json in the home (packages/prices/README.md), or omit --max-usd.",
          },
        });
      }
    },
    unpriced: () => [...unpriced],
  };
}

const asUsage = (one: UsageRecord) => ({
  model: one.model,
  calls: one.calls,
  inputTokens: one.input_tokens,
  outputTokens: one.output_tokens,
  cacheReadTokens: one.cache_read_tokens,
  cacheWriteTokens: one.cache_write_tokens,
  costUsd: one.cost_usd,
});
