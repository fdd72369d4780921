/**
 * The cost of a run per model: actual, estimated and unpriced.
 *
 * - `new CostTally(book, at)`, `add(usage)` → the cost of that usage, `finish(costs)` → `RunCost`.
 */
import type { PriceBook } from "@devflow/prices";
import type { ModelUsage } from "../results/result.ts";

export interface ModelCost {
  readonly model: string;
  readonly calls: number;
  /** All input tokens, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
  /** Why the model has no price. */
  readonly unpricedReason: string | null;
}

export interface RunCost {
  readonly models: readonly ModelCost[];
  readonly actualUsd: number;
  readonly estimatedUsd: number;
  readonly unpricedCalls: number;
  /** Null: no price was looked up. */
  readonly priceVersion: string | null;
}

export const noCost: RunCost = { models: [], actualUsd: 0, estimatedUsd: 0, unpricedCalls: 0, priceVersion: null };

interface Tally {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  actualUsd: number;
  estimatedUsd: number;
  unpricedCalls: number;
  unpricedReason: string | null;
}

export class CostTally {
  readonly #book: PriceBook;
  readonly #at: string;
  readonly #models = new Map<string, Tally>();

  constructor(book: PriceBook, at: string) {
    this.#book = book;
    this.#at = at;
  }

  add(usage: ModelUsage): { actualUsd: number; estimatedUsd: number; isUnpriced: boolean } {
    const tally = this.#tallyOf(usage.model);
    const priced = this.#book.price(usage, this.#at);
    tally.calls += usage.calls;
    tally.inputTokens += usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    tally.outputTokens += usage.outputTokens;
    tally.cacheReadTokens += usage.cacheReadTokens;
    tally.cacheWriteTokens += usage.cacheWriteTokens;
    if (priced.kind === "actual") tally.actualUsd += priced.usd;
    else if (priced.kind === "estimated") tally.estimatedUsd += priced.usd;
    else {
      tally.unpricedCalls += Math.max(1, usage.calls);
      tally.unpricedReason ??= priced.reason;
    }
    return {
      actualUsd: priced.kind === "actual" ? priced.usd : 0,
      estimatedUsd: priced.kind === "estimated" ? priced.usd : 0,
      isUnpriced: priced.kind === "unpriced",
    };
  }

  /** `summed` is the tool's own totals; used for models without usage in results. */
  finish(summed: readonly ModelUsage[]): RunCost {
    const fromResults = new Set(this.#models.keys());
    for (const usage of summed) if (!fromResults.has(usage.model)) this.add(usage);
    const models = [...this.#models]
      .map(([model, tally]) => ({ model, ...tally }))
      .sort((a, b) => b.actualUsd + b.estimatedUsd - a.actualUsd - a.estimatedUsd || (a.model < b.model ? -1 : 1));
    const sum = (pick: (model: ModelCost) => number) => models.reduce((total, model) => total + pick(model), 0);
    return {
      models,
      actualUsd: sum(({ actualUsd }) => actualUsd),
      estimatedUsd: sum(({ estimatedUsd }) => estimatedUsd),
      unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
      priceVersion: models.length > 0 ? this.#book.version : null,
    };
  }

  #tallyOf(model: string): Tally {
    let tally = this.#models.get(model);
    if (!tally) {
      tally = {
        calls: 0,
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        actualUsd: 0,
        estimatedUsd: 0,
        unpricedCalls: 0,
        unpricedReason: null,
      };
      this.#models.set(model, tally);
    }
    return tally;
  }
}
