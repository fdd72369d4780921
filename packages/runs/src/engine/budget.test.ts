import { expect, test } from "bun:test";
import { budgetFault, dollarsLeft } from "./budget.ts";

const run = { max_usd: 2, max_tokens: 1_000, budget_grants: 0 };

test("a run may go on until it has spent its budget, in dollars or in tokens", () => {
  expect(budgetFault({ run, spent: { usd: 1.99, tokens: 999 } })).toBeUndefined();
  expect(budgetFault({ run, spent: { usd: 2, tokens: 0 } })).toBe("it has spent $2.00 of $2.00");
  expect(budgetFault({ run, spent: { usd: 0, tokens: 1_000 } })).toBe("it has used 1000 of 1000 tokens");
  expect(budgetFault({ run, spent: { usd: 2.3, tokens: 0 } }, 1.2)).toBeUndefined();
  expect(budgetFault({ run: { ...run, max_usd: null, max_tokens: null }, spent: { usd: 1e9, tokens: 1e12 } })).toBe(
    undefined,
  );
});

test("each time a person lets it go on, it may spend as much again", () => {
  const granted = { ...run, budget_grants: 1 };
  expect(budgetFault({ run: granted, spent: { usd: 3.9, tokens: 0 } })).toBeUndefined();
  expect(budgetFault({ run: granted, spent: { usd: 4.1, tokens: 0 } })).toBe("it has spent $4.10 of $4.00");
  expect(dollarsLeft({ run: granted, spent: { usd: 4, tokens: 0 } })).toBeCloseTo(0.8);
});
