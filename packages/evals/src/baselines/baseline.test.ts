import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { importedRun, result } from "../../testing/imported-run.ts";
import type { EvalTier, ResultStatus } from "../results/result.ts";
import { openStore } from "../store/open-store.ts";
import { parseBaseline, renderBaseline } from "./baseline.ts";
import { baselineFor, bless } from "./bless.ts";

async function storeWith(runs: readonly [string, EvalTier, string, Readonly<Record<string, ResultStatus>>][]) {
  const store = await openStore(temporaryFolder());
  for (const [runId, tier, at, cases] of runs) {
    const results = Object.entries(cases).map(([name, status]) => result({ name, status, scores: { accuracy: 0.5 } }));
    await store.push(importedRun({ runId, tier, at: `${at}T00:00:00.000Z`, gitSha: `commit-${at}` }, results));
  }
  return store;
}

test("a baseline compares the tiers case by case, one line each, sorted, and reads back the same", async () => {
  const store = await storeWith([
    ["f1", "fast", "2026-01-01", { b: "fail", a: "pass", "odd | name\\\n ": "pass" }],
    ["s1", "standard", "2026-01-01", { a: "pass", b: "pass", c: "error" }],
    ["s2", "standard", "2026-01-01", { a: "fail", b: "pass", c: "pass" }],
  ]);
  const baseline = await baselineFor(store, "suite");
  const text = renderBaseline(baseline);
  expect(text.split("\n").slice(4)).toEqual([
    "| tier | at | commit | model | cost of a run | runs |",
    "| --- | --- | --- | --- | --- | --- |",
    "| fast | 2026-01-01T00:00:00.000Z | commit-2026-01-01 |  | $0.0000 | f1 |",
    "| standard | 2026-01-01T00:00:00.000Z | commit-2026-01-01 |  | $0.0000 | s1 s2 |",
    "",
    "| case | input | fast | standard | across tiers |",
    "| --- | --- | --- | --- | --- |",
    "| a |  | 1/1 0.5 | 1/2 0.5 | fast best |",
    "| b |  | 0/1 0.5 | 2/2 0.5 | standard best |",
    "| c |  |  | 1/1 e1 0.5 |  |",
    "| odd \\| name\\\\\\n\\s |  | 1/1 0.5 |  |  |",
    "",
  ]);
  expect(parseBaseline(text)).toEqual(baseline);
  store.close();
});

test("the baseline of an earlier day uses only runs up to that day", async () => {
  const store = await storeWith([
    ["old", "standard", "2026-01-01", { a: "fail" }],
    ["new", "standard", "2026-02-01", { a: "pass" }],
  ]);
  expect((await baselineFor(store, "suite", { date: "2026-01-15" })).tiers[0]?.runs).toEqual(["old"]);
  expect((await baselineFor(store, "suite")).tiers[0]?.runs).toEqual(["new"]);
  expect(baselineFor(store, "suite", { date: "2025-01-01" })).rejects.toThrow("was not found");
  store.close();
});

test("blessing one tier keeps the file's results of the other tiers", async () => {
  const folder = join(temporaryFolder(), "baselines");
  const first = await storeWith([["f", "full", "2026-01-01", { a: "pass", gone: "pass" }]]);
  await bless(first, folder, "suite");
  first.close();
  const second = await storeWith([["q", "fast", "2026-02-01", { a: "fail", fresh: "pass" }]]);
  const { path } = await bless(second, folder, "suite");
  second.close();
  const { tiers, cases } = parseBaseline(readFileSync(path, "utf8"));
  expect(tiers.map(({ tier }) => tier)).toEqual(["fast", "full"]);
  expect(cases.map(({ name, tiers: cells }) => [name, Object.keys(cells).sort()])).toEqual([
    ["a", ["fast", "full"]],
    ["fresh", ["fast"]],
    ["gone", ["full"]],
  ]);
});

test("branches that add cases in different places merge without a conflict", async () => {
  const { git } = await import("../../testing/git.ts");
  const names = Array.from({ length: 12 }, (_, at) => `case ${String.fromCharCode(98 + at)}`);
  const cases = (more: readonly string[]) =>
    Object.fromEntries([...names, ...more].map((name) => [name, "pass" as const]));
  const render = async (more: readonly string[]) => {
    const store = await storeWith([["r", "standard", "2026-01-01", cases(more)]]);
    const text = renderBaseline(await baselineFor(store, "suite"));
    store.close();
    return text;
  };
  const merged = git.merge(await render([]), await render(["case a"]), await render(["case z"]));
  expect(merged.code).toBe(0);
  expect(parseBaseline(merged.text).cases).toHaveLength(14);
});

test("a file with conflict markers is refused", () => {
  expect(() => parseBaseline("# Eval baseline: s\n<<<<<<< ours\n")).toThrow("merge conflict");
});
