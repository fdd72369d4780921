import { expect, test } from "bun:test";
import { openPrices } from "@devflow/prices";
import { madeUsage as usage } from "../../testing/made-runs.ts";
import { tierLadders } from "../model-tiers.ts";
import type { ModelUsage } from "../results/result.ts";
import { costDashboard } from "./cost-dashboard.ts";
import { costPage } from "./cost-page.ts";
import { CostTally } from "./run-costs.ts";
import { costAtTier, costTiers } from "./tier-costs.ts";

const book = await openPrices();
const at = "2026-03-15T10:30:00.000Z";

function costOf(fromResults: readonly ModelUsage[], summed: readonly ModelUsage[] = []) {
  const tally = new CostTally(book, at);
  for (const one of fromResults) tally.add(one);
  return tally.finish(summed);
}

test("actual, estimated and unpriced are summed separately, with the price version", () => {
  const cost = costOf([
    usage("claude-sonnet-4-6"),
    usage("claude-sonnet-4-6", { costUsd: 0.5 }),
    usage("nobody-knows", { calls: 3 }),
  ]);
  expect(cost).toMatchObject({ actualUsd: 0.5, unpricedCalls: 3, priceVersion: "genai-prices 0.1.8" });
  expect(cost.estimatedUsd).toBeCloseTo(0.0045, 10);
  expect(cost.models.map(({ model, calls, actualUsd }) => [model, calls, actualUsd])).toEqual([
    ["claude-sonnet-4-6", 2, 0.5],
    ["nobody-knows", 3, 0],
  ]);
});

test("a tool's own totals count only for models without usage in results", () => {
  const cost = costOf(
    [usage("claude-sonnet-4-6")],
    [usage("claude-sonnet-4-6", { calls: 9 }), usage("claude-haiku-4-5")],
  );
  expect(cost.models.map(({ model, calls }) => [model, calls])).toEqual([
    ["claude-sonnet-4-6", 1],
    ["claude-haiku-4-5", 1],
  ]);
});

test("every model of the tiers has a price", () => {
  for (const { models } of tierLadders) {
    for (const tier of costTiers)
      expect([models[tier], book.price(usage(models[tier]), at).kind]).toEqual([models[tier], "estimated"]);
  }
});

test("other tiers are priced with the same tokens on that tier's models", () => {
  const cost = costOf([usage("claude-sonnet-4-6", { calls: 10 }), usage("acme-own", { costUsd: 0.1 })]);
  const [fast, standard, full] = costTiers.map((tier) => costAtTier(book, cost, tier, at));
  expect(fast?.usd).toBeCloseTo(0.0015 + 0.1, 10);
  expect(standard?.usd).toBeCloseTo(0.0045 + 0.1, 10);
  expect(full?.usd).toBeCloseTo(0.0075 + 0.1, 10);
  expect(full).toMatchObject({ unchanged: ["acme-own"], unpriced: [] });
  expect(costAtTier(book, costOf([usage("nobody-knows")]), "full", at)).toMatchObject({
    usd: null,
    unpriced: ["nobody-knows"],
  });
});

const cost = costOf([
  usage("claude-sonnet-4-6", { calls: 25, inputTokens: 45_123, outputTokens: 12_456 }),
  usage("claude-opus-4-6", { calls: 5, inputTokens: 78_900, outputTokens: 45_123 }),
  usage("nobody-knows"),
]);
const view = {
  tier: "standard",
  cost,
  otherTiers: [costAtTier(book, cost, "full", at), costAtTier(book, cost, "fast", at)],
};

test("all lines of the dashboard have the same width", () => {
  const text = costDashboard(view);
  expect(new Set(text.split("\n").map((line) => line.length)).size).toBe(1);
  expect(text.split("\n").slice(0, 8)).toEqual([
    "┌────────────────────────────────────────────────────────────────────┐",
    "│ EVAL COST DASHBOARD (standard tier)                                │",
    "├───────────────────┬───────┬─────────┬────────┬─────────────────────┤",
    "│ Model             │ Calls │   Input │ Output │ Cost                │",
    "├───────────────────┼───────┼─────────┼────────┼─────────────────────┤",
    "│ claude-opus-4-6   │     5 │  78,900 │ 45,123 │ ~$1.5226            │",
    "│ claude-sonnet-4-6 │    25 │  45,123 │ 12,456 │ ~$0.3222            │",
    "│ nobody-knows      │     1 │   1,000 │    100 │ unpriced            │",
  ]);
  expect(text).toContain("~$1.8448 + unpriced");
  expect(text).toContain("Unpriced: nobody-knows is not in the price table");
});

test("the page runs no scripts and loads nothing, even with hostile names", () => {
  const hostile = costOf([usage('<script>alert(1)</script>"&')]);
  const page = costPage({ ...view, cost: hostile }, { suite: "<img src=x>", label: "'\"", at });
  expect(page).not.toContain("<script");
  expect(page).not.toContain("<img");
  expect(page).toContain("Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
});
