/** Code of suites runs in other processes, within limits, and cannot take the run with it. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeWorkerCommand } from "@devflow/evals/testing/promptfoo";
import { expectNoLeaks } from "@devflow/testkit";
import { CodeFailure, CodeLimit, openCodePool } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "code-"));
const pool = openCodePool({
  command: codeWorkerCommand(),
  cwd: folder,
  env: { PATH: process.env.PATH, HOME: folder, DEVFLOW_TEST_TAG: process.env.DEVFLOW_TEST_TAG },
  workers: 1,
  maxMemoryBytes: 600 * 1024 * 1024,
});
afterAll(() => pool.close());
const inline = (body: string, args: readonly unknown[] = [], timeoutMs?: number) =>
  pool.run({ kind: "inline", parameters: ["output", "context"], body, args }, timeoutMs);

test("a function's value comes back, and what it prints does not disturb it", async () => {
  expect(await inline("console.log('noise'); return { a: [output, null] }", ["x"])).toEqual({ a: ["x", null] });
  expect(await inline("return undefined")).toBeUndefined();
  expect(await inline("return 0 / 0")).toBeNaN();
  expect(await inline("return await Promise.resolve(7)".replace("await ", ""), [])).toBe(7);
});

test("what the code throws is its failure", async () => {
  await expect(inline("throw new Error('no')")).rejects.toThrow(new CodeFailure("no"));
  await expect(inline("return (")).rejects.toBeInstanceOf(CodeFailure);
  await expect(inline("const a = {}; a.a = a; return a")).rejects.toThrow(/not JSON/);
  await expect(inline("return () => 1")).rejects.toThrow("it returned a function");
});

test("code that never ends is stopped, and the next job runs", async () => {
  await expect(inline("for (;;);", [], 500)).rejects.toThrow(new CodeLimit("it took longer than 500 ms"));
  expect(await inline("return 1")).toBe(1);
});

test("code that kills its process, or needs too much memory, is stopped", async () => {
  await expect(inline("process.kill(process.pid, 'SIGKILL')")).rejects.toThrow(/was killed by SIGKILL/);
  await expect(inline("process.exit(3)")).rejects.toThrow(/exited with 3/);
  const greedy = "const all = []; for (;;) all.push(new Uint8Array(20e6).fill(1))";
  await expect(inline(greedy, [], 20_000)).rejects.toThrow(/MB of memory|killed|longer/);
  expect(await inline("return 2")).toBe(2);
});

test("a pattern that backtracks without end is stopped", async () => {
  const text = `${"a".repeat(40)}b`;
  await expect(pool.run({ kind: "regex", source: "^(a|aa|a?)+$", text }, 1_000)).rejects.toThrow(
    /longer than|true|false/,
  );
});

test("modules, their named functions and TypeScript are loaded", async () => {
  writeFileSync(
    join(folder, "a.ts"),
    "export const twice = (n: number): number => n * 2;\nexport default { k: 'v' };\n",
  );
  expect(await pool.run({ kind: "module", file: join(folder, "a.ts"), name: "twice", args: [4] })).toBe(8);
  expect(await pool.run({ kind: "module", file: join(folder, "a.ts"), args: [] })).toEqual({ k: "v" });
  await expect(pool.run({ kind: "module", file: join(folder, "none.js"), args: [] })).rejects.toBeInstanceOf(
    CodeFailure,
  );
});

test("Python functions are called in a process that stays; prints and exits do not disturb it", async () => {
  const call = (code: string, args: readonly unknown[] = []) =>
    pool.run({ kind: "script", language: "python", code, name: "main", args });
  expect(await call("def main(a):\n  print('noise')\n  return {'a': a}", [[1, "é"]])).toEqual({ a: [1, "é"] });
  expect(await call("async def main():\n  return 1")).toBe(1);
  await expect(call("def main():\n  return 1/0")).rejects.toThrow("division by zero");
  await expect(call("import sys\ndef main():\n  sys.exit(1)")).rejects.toBeInstanceOf(CodeFailure);
  expect(await call("def main():\n  return 2")).toBe(2);
}, 30_000);

test("nothing is left running", async () => {
  await pool.close();
  await expect(inline("return 1")).rejects.toBeInstanceOf(CodeLimit);
  await expectNoLeaks(5_000);
});
