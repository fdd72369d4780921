/** - `costView(store, prices, filter)` the cost of all runs by model, suite and day, and with the models of other tiers. */
import type { PriceBook } from "@devflow/prices";
import type { EvalCosts, EvalModelCost, EvalMoney } from "@devflow/protocol";
import { suiteTierKey } from "../compare/index.ts";
import { costAtTier, costTiers } from "../costs/tier-costs.ts";
import type { EvalStore, RunFilter, RunLine, RunModelCost } from "../store/index.ts";
import { lineView, refOf } from "./run-line.ts";

export async function costView(
  store: EvalStore,
  prices: () => Promise<PriceBook>,
  filter: RunFilter,
): Promise<EvalCosts> {
  const lines = allRuns(store, filter);
  const spent = store.modelCosts(filter);
  const results = lines.reduce((sum, { total }) => sum + total, 0);
  return {
    total: moneyOf(lines),
    scope: { runs: lines.length, results, olderRuns: 0 },
    priceVersions: await priceVersions(store, lines),
    models: modelsOf(spent),
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
    tiers: await tiersOf(spent, prices),
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

/** Of the newest runs: older ones were priced with what was known then, and nobody asks which. */
async function priceVersions(store: EvalStore, lines: readonly RunLine[]): Promise<string[]> {
  const versions = new Set<string>();
  for (const line of lines.slice(0, 20)) {
    const { priceVersion } = (await store.run(refOf(line))).record.summary.cost;
    if (priceVersion !== null) versions.add(priceVersion);
  }
  return [...versions];
}

/** Sums are over all runs, however many: the index has them. */
function allRuns(store: EvalStore, filter: RunFilter): RunLine[] {
  const lines: RunLine[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = store.list({ ...filter, limit: 1000, ...(after ? { after } : {}) });
    lines.push(...page.runs);
    after = page.next;
  }
  return lines;
}

function modelsOf(all: readonly RunModelCost[]): EvalModelCost[] {
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

/** Each day's calls at the prices of that day. */
async function tiersOf(spent: readonly RunModelCost[], prices: () => Promise<PriceBook>): Promise<EvalCosts["tiers"]> {
  if (spent.length === 0) return [];
  const book = await prices();
  const days = [...Map.groupBy(spent, ({ at }) => at.slice(0, 10))].map(([day, own]) => ({
    at: `${day}T00:00:00.000Z`,
    cost: { models: modelsOf(own), ...moneyOf(own), priceVersion: null },
  }));
  return costTiers.map((tier) => {
    const each = days.map(({ at, cost }) => costAtTier(book, cost, tier, at));
    const priced = each.flatMap(({ usd }) => usd ?? []);
    return {
      tier,
      usd: priced.length === 0 ? null : priced.reduce((sum, usd) => sum + usd, 0),
      unchanged: [...new Set(each.flatMap(({ unchanged }) => unchanged))],
      unpriced: [...new Set(each.flatMap(({ unpriced }) => unpriced))],
    };
  });
}
