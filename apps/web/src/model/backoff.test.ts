import { expect, test } from "bun:test";
import { backoffMs } from "./backoff.ts";

test("the wait doubles up to 30 seconds, with random jitter over its upper half", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 500].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
  expect([0, 1, 5].map((attempt) => backoffMs(attempt, () => 0))).toEqual([500, 1_000, 15_000]);
});
