import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importedRun, result } from "../../testing/imported-run.ts";
import { streamOf } from "../../testing/read-all.ts";
import { resultFileSchema } from "./format.ts";
import { inputShaOf } from "./normalise.ts";
import { readResults } from "./read-results.ts";
import type { EvalResult } from "./result.ts";
import { toFileResult, toFileRun } from "./write-results.ts";

test("a written file is valid and is read back unchanged", async () => {
  const usage = {
    model: "gpt-5.4",
    calls: 3,
    inputTokens: 100,
    outputTokens: 5,
    cacheReadTokens: 40,
    cacheWriteTokens: 2,
    costUsd: null,
    extra: { reasoning_tokens: 9 },
  };
  const { run } = importedRun({
    judges: [{ model: "judge", rubricSha: "r", threshold: 0.7 }],
    durationMs: 1500,
    totals: { total: 4, passed: 1, failed: 1, errors: 1, skipped: 1 },
    costs: [usage],
    extra: { note: "kept" },
  });
  const input = { question: "why" };
  const results: EvalResult[] = [
    result({
      name: "a",
      input,
      inputSha: inputShaOf(input),
      scores: { x: 0.5 },
      usage: [usage],
      tags: ["t"],
      turns: 2,
    }),
    result({ name: "b", status: "fail", inputSha: "given", extra: { unscored: ["y"], own: 1 }, cached: true }),
    result({ name: "c", status: "error", error: "timeout", output: { text: "half" } }),
    result({
      name: "a",
      input,
      inputSha: inputShaOf(input),
      repeat: 3,
      status: "skipped",
      comparison: { type: "ab_test" },
    }),
  ];
  const file = { ...toFileRun(run), all_results: results.map(toFileResult) };
  expect(resultFileSchema.safeParse(file).error).toBeUndefined();
  const bytes = Buffer.from(JSON.stringify(file));
  const imported = await readResults(streamOf(bytes), { name: "x.json", defaults: { nowMs: 0 } });
  const again: EvalResult[] = [];
  for await (const one of imported.results) again.push(one);
  expect(imported.run).toEqual(run);
  expect(again).toEqual(results);
});

test("every JSON example in the docs can be read", async () => {
  const page = readFileSync(join(import.meta.dir, "../../../../docs/eval-result-format.md"), "utf8");
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text ?? "");
  expect(examples.length).toBeGreaterThan(1);
  for (const text of examples) {
    const imported = await readResults(streamOf(text), { name: "docs.json", defaults: { nowMs: 0 } });
    let count = 0;
    for await (const _ of imported.results) count += 1;
    expect(count).toBe(2);
  }
});

test("the JSON Schema is published", () => {
  expect(readdirSync(join(import.meta.dir, "../../../../schemas"))).toContain("eval-result@1.json");
});
