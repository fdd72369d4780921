import { expect, test } from "bun:test";
import { turnUsage, usedBefore } from "./codex-usage.ts";

const count = (inputTokens: number, cachedInputTokens: number, outputTokens: number) => ({
  inputTokens,
  cachedInputTokens,
  outputTokens,
});

test("a turn's usage leaves out earlier turns, and counts cached tokens apart", () => {
  const before = usedBefore({ total: count(1500, 400, 60), last: count(500, 100, 10) });
  expect(before).toEqual({ ...count(1000, 300, 50), cacheWriteInputTokens: 0 });
  expect(turnUsage(before, count(2500, 1300, 80))).toEqual({
    inputTokens: 500,
    outputTokens: 30,
    cacheReadTokens: 1000,
    cacheWriteTokens: 0,
  });
});

test("a turn without a request has no usage", () => {
  expect(turnUsage(count(10, 0, 5), count(10, 0, 5))).toBe(undefined);
});
