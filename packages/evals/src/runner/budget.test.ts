import { expect, test } from "bun:test";
import fc from "fast-check";
import { openBudget } from "./budget.ts";
import { learningEstimate } from "./cost-estimate.ts";

test("spent and reserved together never exceed the budget, whatever the order of calls", async () => {
  const call = fc.record({ estimate: fc.integer({ min: 0, max: 50 }), share: fc.integer({ min: 0, max: 100 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), fc.integer({ min: 1, max: 200 }), async (calls, max) => {
      const budget = openBudget(max);
      const open: { settle(usd: number): void; usd: number }[] = [];
      for (const { estimate, share } of calls) {
        const settleOne = () => {
          const one = open.shift();
          one?.settle(one.usd);
        };
        if (open.length > 3) settleOne();
        const asked = budget.reserve(() => estimate);
        // Calls in flight end one by one, until the next may start or none is left.
        for (let left = open.length; left > 0; left -= 1) {
          if ((await Promise.race([asked.then(() => true), Promise.resolve(false)])) === true) break;
          settleOne();
          await Promise.resolve();
        }
        const reservation = await asked;
        if (reservation) open.push({ settle: reservation.settle, usd: (estimate * share) / 100 });
        expect(budget.spentUsd).toBeLessThanOrEqual(max + 1e-9);
      }
      for (const { settle, usd } of open) settle(usd);
      expect(budget.spentUsd).toBeLessThanOrEqual(max + 1e-9);
    }),
  );
});

test("a call waits while others that may turn out cheaper are in flight, and is refused when none is", async () => {
  const budget = openBudget(1);
  const first = (await budget.reserve(() => 0.8))!;
  const second = budget.reserve(() => 0.5);
  first.settle(0.3);
  (await second)!.settle(0.5);
  expect(await budget.reserve(() => 0.3)).toBeUndefined();
  expect(budget.spentUsd).toBeCloseTo(0.8, 12);
});

test("a call of unknown cost is made alone, and none beside it", async () => {
  const budget = openBudget(1);
  const known = (await budget.reserve(() => 0.1))!;
  const unknown = budget.reserve(() => null);
  const order: string[] = [];
  void unknown.then(() => order.push("unknown"));
  const after = budget.reserve(() => 0.1);
  void after.then(() => order.push("known"));
  known.settle(0.1);
  const alone = await Promise.race([unknown, after]);
  await Promise.resolve();
  expect(order).toHaveLength(1);
  alone!.settle(0.2);
  (await (order[0] === "unknown" ? after : unknown))!.settle(0.1);
  expect(budget.spentUsd).toBeCloseTo(0.4, 12);
});

test("money spent before a crash counts; waiting ends with the signal", async () => {
  expect(await openBudget(1, 1).reserve(() => 0.01)).toBeUndefined();
  const stop = new AbortController();
  const budget = openBudget(1);
  await budget.reserve(() => 1);
  const waiting = budget.reserve(() => 1, stop.signal);
  stop.abort(new Error("stopped"));
  expect(waiting).rejects.toThrow("stopped");
});

test("an estimate is the bound at first, and later follows what calls cost", () => {
  const estimate = learningEstimate();
  for (let call = 0; call < 10; call += 1) {
    expect(estimate.of(0.5)).toBe(0.5);
    estimate.learn(0.01 + call / 10_000);
  }
  expect(estimate.of(0.5)).toBeCloseTo(2 * 0.0109, 12);
  expect(estimate.of(0.001)).toBe(0.001);
  const unknown = learningEstimate();
  expect(unknown.of(null)).toBeNull();
  unknown.learn(0.2);
  expect(unknown.of(null)).toBe(0.4);
});
