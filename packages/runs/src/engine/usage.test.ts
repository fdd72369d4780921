/** Usage of a run: cache reads and writes separately, and priced when its agents do not report a cost. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate } from "../../testing/small-templates.ts";
import { runCost } from "../views/index.ts";

const bench: EngineBench = await openEngineBench();
afterAll(() => bench.close());
beforeAll(() => bench.addTemplate(smallTemplate("priced", [planPhase])));

const tokens = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 100_000, cacheWriteTokens: 10_000 };

async function costOf(usage: Readonly<Record<string, unknown>>) {
  const runId = await bench.play({ plan: { scenario: "ok", usage } }, { template: "priced" });
  await bench.finish(runId);
  const claims = { sub: bench.person.userId ?? "", role: "authenticated" as const };
  const recorded = (await bench.events(runId)).find((one) => one.type === "usage.recorded")?.payload;
  return { cost: await runCost({ database: bench.database, claims }, runId), kind: recorded?.costKind };
}

test("a cost reported by the agent is used", async () => {
  const { cost, kind } = await costOf({ ...tokens, model: "claude-sonnet-4-6", costUsd: 1.5 });
  expect(kind).toBe("actual");
  expect(cost).toMatchObject({ usd: 1.5, ...tokens });
});

test("without a reported cost, tokens are priced, cached tokens at their own prices", async () => {
  const { cost, kind } = await costOf({ ...tokens, model: "claude-sonnet-4-6", costUsd: null });
  expect(kind).toBe("estimated");
  // $3 in, $15 out, $0.30 read from and $3.75 written to the cache, a million tokens each.
  expect(cost?.usd).toBeCloseTo(0.003 + 0.0015 + 0.03 + 0.0375, 6);
  expect(cost).toMatchObject(tokens);
});

test("a model without a known price makes the cost of the run unknown, not zero", async () => {
  const { cost, kind } = await costOf({ ...tokens, model: "acme-large", costUsd: null });
  expect([kind, cost?.usd]).toEqual(["unpriced", null]);
});
