import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { proofOfSelf } from "@devflow/core/process-proof";
import { runProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { cacheKeyOf } from "./cache-key.ts";
import { clearBeforeRun } from "./clear-before-run.ts";
import { openCache } from "./eval-cache.ts";

const sources = (prompt: string, input: unknown = { question: "why", tone: "plain" }, attempt = 1) =>
  cacheKeyOf({ files: { "prompt.md": prompt, "tools.json": "{}" }, input, attempt });

test("a written output is read back, in the documented layout", async () => {
  const home = temporaryFolder();
  const cache = openCache(home, { now: () => Date.UTC(2026, 0, 1) });
  await cache.write("my_suite", "abc123def456", { answer: 42 }, { caseName: "a" });
  expect(await cache.read("my_suite", "abc123def456")).toEqual({ answer: 42 });
  expect(await cache.read("my_suite", "other")).toBeUndefined();
  expect(JSON.parse(readFileSync(join(home, "eval-cache/my_suite/abc123def456.json"), "utf8"))).toEqual({
    _cache_version: 1,
    _cached_at: "2026-01-01T00:00:00.000Z",
    _suite: "my_suite",
    _case_name: "a",
    _key: null,
    _cost_usd: null,
    data: { answer: 42 },
  });
});

test("the key depends on the content of the sources, the input and the attempt only", () => {
  const { key } = sources("v1");
  expect(key).toMatch(/^[0-9a-f]{16}$/);
  expect(sources("v1").key).toBe(key);
  expect(
    cacheKeyOf({
      files: { "moved.md": "v1", "tools.json": "{}" },
      input: { tone: "plain", question: "why" },
      attempt: 1,
    }).key,
  ).toBe(key);
  expect(new Set([key, sources("v2").key, sources("v1", "why").key, sources("v1", undefined, 2).key]).size).toBe(4);
  // Moving text from one file to another changes the key.
  const files = (a: string, b: string) => cacheKeyOf({ files: { a, b }, input: null, attempt: 1 }).key;
  expect(files("xy", "z")).not.toBe(files("x", "yz"));
});

test("why names the file or field that changed the key", async () => {
  const cache = openCache(temporaryFolder());
  const before = sources("v1");
  await cache.write("s", before.key, 1, { caseName: "a", parts: before.parts });
  const now = sources("v2", { question: "why", tone: "rude", extra: 1 });
  expect(await cache.why("s", now.key, { caseName: "a", parts: now.parts })).toEqual({
    isHit: false,
    differences: ["file prompt.md changed", "input extra is new", "input tone changed"],
    nearestKey: before.key,
  });
  expect((await cache.why("s", before.key, {})).isHit).toBe(true);
  expect((await cache.why("s", now.key, { caseName: "b", parts: now.parts })).differences).toBeNull();
});

test("a disabled cache always misses and writes nothing", async () => {
  const home = temporaryFolder();
  await openCache(home).write("s", "k", 1);
  const off = openCache(home, { isEnabled: false });
  expect(await off.read("s", "k")).toBeUndefined();
  await off.write("s", "k2", 2);
  expect(await openCache(home).read("s", "k2")).toBeUndefined();
});

test("damaged entries and entries of another version are misses, and verify lists them", async () => {
  const home = temporaryFolder();
  const cache = openCache(home);
  for (const key of ["good", "cut", "old", "moved"]) await cache.write("s", key, { key });
  const path = (key: string) => join(home, "eval-cache/s", `${key}.json`);
  writeFileSync(path("cut"), readFileSync(path("cut"), "utf8").slice(0, 40));
  writeFileSync(path("old"), JSON.stringify({ ...JSON.parse(readFileSync(path("old"), "utf8")), _cache_version: 0 }));
  writeFileSync(path("moved"), JSON.stringify({ ...JSON.parse(readFileSync(path("moved"), "utf8")), _suite: "t" }));
  expect(await cache.read("s", "cut")).toBeUndefined();
  expect(await cache.read("s", "old")).toBeUndefined();
  const { checked, faults } = await cache.verify();
  expect(checked).toBe(4);
  expect(faults.map(({ path: at }) => at)).toEqual([path("cut"), path("moved"), path("old")]);
});

test("stats count entries, hits and saved dollars, and count unpriced hits separately", async () => {
  const cache = openCache(temporaryFolder());
  await cache.write("s", "paid", { cost_usd: 0.25 });
  await cache.write("s", "estimated", {
    usage: [{ model: "claude-sonnet-4-6", input_tokens: 1000, output_tokens: 100 }],
  });
  await cache.write("s", "unknown", { usage: [{ model: "nobody-knows", input_tokens: 1000 }] });
  for (const key of ["paid", "paid", "estimated", "unknown", "missing"]) await cache.read("s", key);
  const [stats] = await cache.stats();
  expect(stats).toMatchObject({ suite: "s", entries: 3, hits: 4, unpricedHits: 1 });
  expect(stats?.savedUsd).toBeCloseTo(0.5045, 10);
});

test("one suite or all of them can be cleared", async () => {
  const cache = openCache(temporaryFolder());
  await cache.write("a", "k", 1);
  await cache.write("b/../c", "k", 1);
  expect((await cache.stats()).map(({ suite }) => suite)).toEqual(["a", "b/../c"]);
  expect(await cache.clear("a")).toBe(1);
  expect(await cache.read("b/../c", "k")).toBe(1);
  expect(await cache.clear()).toBe(1);
});

test.each(["..", "../x", "a/b", "", ".hidden", "x".repeat(200)])("%p is not a valid key", async (key) => {
  expect(openCache(temporaryFolder()).read("s", key)).rejects.toThrow("is not a valid cache key");
});

test("a suite's name cannot escape the cache folder", async () => {
  const home = temporaryFolder();
  await openCache(home).write("../../out", "k", 1);
  await openCache(home).write("..", "k", 1);
  expect(readdirSync(join(home, "eval-cache")).sort()).toEqual(["%2E.", "%2E.%2F..%2Fout"]);
});

test("EVAL_CACHE_CLEAR clears once per run, not once per command", async () => {
  const home = temporaryFolder();
  const cache = openCache(home);
  await cache.write("s", "old", 1);
  expect(await clearBeforeRun(home, cache, proofOfSelf())).toBe(true);
  await cache.write("s", "new", 1);
  expect(await clearBeforeRun(home, cache, proofOfSelf())).toBe(false);
  expect([await cache.read("s", "old"), await cache.read("s", "new")]).toEqual([undefined, 1]);
  expect(await clearBeforeRun(home, cache, { pid: 1, identity: "another run" })).toBe(true);
});

test("four processes that write one key never leave a partial entry", async () => {
  const home = temporaryHome();
  const script = join(import.meta.dir, "../../testing/programs/write-cache.ts");
  const done = await Promise.all(
    ["a", "b", "c", "d"].map((worker) =>
      runProcess([process.execPath, script, home.devflowHome, worker, "20"], { env: home.environment() }),
    ),
  );
  expect(done.map(({ code, stderr }) => [code, stderr])).toEqual(done.map(() => [0, ""]));
  const cache = openCache(home.devflowHome);
  expect((await cache.verify()).faults).toEqual([]);
  expect((await cache.stats())[0]).toMatchObject({ entries: 1, hits: 80 });
});
