/** - `costView(store, prices, filter)` the cost of the newest runs by model, suite and day, and with the models of other tiers. */
import type { PriceBook } from "@devflow/prices";
import type { EvalCosts, EvalModelCost, EvalMoney } from "@devflow/protocol";
import { suiteTierKey } from "../compare/index.ts";
import { costAtTier, costTiers } from "../costs/tier-costs.ts";
import type { EvalStore, RunFilter, RunLine, RunRecord } from "../store/index.ts";
import { lineView, refOf } from "./run-line.ts";
import { newest } from "./stored-runs.ts";

export async function costView(
  store: EvalStore,
  prices: () => Promise<PriceBook>,
  filter: RunFilter,
): Promise<EvalCosts> {
  const { lines, scope } = newest(store, filter);
  const records: RunRecord[] = [];
  for (const line of lines) records.push((await store.run(refOf(line))).record);
  const versions = records.flatMap(({ summary }) => summary.cost.priceVersion ?? []);
  return {
    total: moneyOf(lines),
    scope,
    priceVersions: [...new Set(versions)],
    models: modelsOf(records),
    suites: [...Map.groupBy(lines, suiteTierKey).values()]
      .map((own) => {
        const { suite, tier } = own[0] as RunLine;
        const results = own.reduce((sum, { total }) => sum + total, 0);
        return { suite, tier, runs: own.length, results, ...moneyOf(own) };
      })
      .toSorted((a, b) => usdOf(b) - usdOf(a)),
    days: [...Map.groupBy(lines, ({ at }) => at.slice(0, 10))]
      .map(([day, own]) => ({ day, runs: own.length, ...moneyOf(own) }))
      .toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    tiers: await tiersOf(records, prices),
    dearestRuns: lines
      .filter((line) => usdOf(line) > 0)
      .toSorted((a, b) => usdOf(b) - usdOf(a))
      .slice(0, 10)
      .map(lineView),
  };
}

const usdOf = ({ actualUsd, estimatedUsd }: EvalMoney): number => actualUsd + estimatedUsd;

function moneyOf(lines: readonly (EvalMoney | RunLine)[]): EvalMoney {
  const sum = (pick: (line: EvalMoney) => number) => lines.reduce((total, line) => total + pick(line), 0);
  return {
    actualUsd: sum(({ actualUsd }) => actualUsd),
    estimatedUsd: sum(({ estimatedUsd }) => estimatedUsd),
    unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
  };
}

function modelsOf(records: readonly RunRecord[]): EvalModelCost[] {
  const all = records.flatMap(({ summary }) => summary.cost.models);
  return [...Map.groupBy(all, ({ model }) => model)]
    .map(([model, own]) => {
      const sum = (pick: (one: (typeof own)[number]) => number) => own.reduce((total, one) => total + pick(one), 0);
      return {
        model,
        ...moneyOf(own),
        calls: sum(({ calls }) => calls),
        inputTokens: sum(({ inputTokens }) => inputTokens),
        outputTokens: sum(({ outputTokens }) => outputTokens),
        cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
        cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
        unpricedReason: own.find(({ unpricedReason }) => unpricedReason !== null)?.unpricedReason ?? null,
      };
    })
    .toSorted((a, b) => usdOf(b) - usdOf(a));
}

/** Each run at the prices on its day. */
async function tiersOf(records: readonly RunRecord[], prices: () => Promise<PriceBook>): Promise<EvalCosts["tiers"]> {
  const withModels = records.filter(({ summary }) => summary.cost.models.length > 0);
  if (withModels.length === 0) return [];
  const book = await prices();
  return costTiers.map((tier) => {
    const each = withModels.map(({ run, summary }) => costAtTier(book, summary.cost, tier, run.at));
    const priced = each.flatMap(({ usd }) => usd ?? []);
    return {
      tier,
      usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
      unchanged: [...new Set(each.flatMap(({ unchanged }) => unchanged))],
      unpriced: [...new Set(each.flatMap(({ unpriced }) => unpriced))],
    };
  });
}
