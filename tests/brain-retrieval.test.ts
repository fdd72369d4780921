/** Decisions are found by questions, better than by grep, and what was superseded never is. */
import { expect, test } from "bun:test";
import { retrievalOn } from "../bench/brain/measured-retrieval.ts";

test("recall and precision on 600 decisions and 60 questions", async () => {
  const [ours, all, most, ilike] = await retrievalOn(600, 60);
  expect(ours?.stale).toBe(0);
  expect(ours?.recall).toBeGreaterThan(0.85);
  for (const other of [all, most, ilike]) expect(ours?.recall).toBeGreaterThan(other?.recall ?? 1);
}, 120_000);
