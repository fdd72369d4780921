import { expect, test } from "bun:test";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { deliver } from "./deliver.ts";
import type { Scenario } from "./steps.ts";

async function play(scenario: Scenario, schema = "dev/change-report@1") {
  const cwd = temporaryFolder("deliver");
  const path = join(cwd, "artifacts", "change.json");
  const instructions = "- [01a1ded6-ff2b-71cf-b301-692872cc62a9] high correctness - Wrong\n";
  const prompt = { dedupKey: "k", uuid: "u", phaseKey: "p", roleId: "coder", attempt: 1, expectedArtifact: path };
  const step = { scenario, delayMs: undefined, artifact: undefined, files: undefined, commands: [], usage: undefined };
  await deliver({ ...prompt, expectedSchema: schema, instructions }, step, cwd);
  return { cwd, path, json: () => JSON.parse(readFileSync(path, "utf8")) };
}

test("ok writes its report and the reported change", async () => {
  const { cwd, json } = await play("ok");
  expect(json()).toMatchObject({ noChange: false });
  expect(existsSync(join(cwd, "greetings.json"))).toBe(true);
});

test("a fixer answers the findings that its prompt lists", async () => {
  const { json } = await play("ok", "dev/fix-report@1");
  expect(json().fixed.map((one: { finding: string }) => one.finding)).toEqual(["01a1ded6-ff2b-71cf-b301-692872cc62a9"]);
});

test("no_change reports it, and leaves the worktree unchanged", async () => {
  const { cwd, json } = await play("no_change");
  expect(json()).toMatchObject({ noChange: true, files: [] });
  expect(existsSync(join(cwd, "greetings.json"))).toBe(false);
});

test("timeout and wrong_path write nothing at the expected path", async () => {
  expect(existsSync((await play("timeout")).path)).toBe(false);
  const { path } = await play("wrong_path");
  expect([existsSync(path), existsSync(`${path}.elsewhere`)]).toEqual([false, true]);
});

test("partial is complete in the end; invalid, binary and not_utf8 are not", async () => {
  expect((await play("partial")).json()).toMatchObject({ noChange: false });
  expect((await play("invalid")).json()).toEqual({ wrong: true });
  for (const scenario of ["binary", "not_utf8"] as const) {
    const { path } = await play(scenario);
    expect(() => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)))).toThrow();
  }
});

test("symlink and directory write what their names say", async () => {
  expect(lstatSync((await play("symlink")).path).isSymbolicLink()).toBe(true);
  expect(lstatSync((await play("directory")).path).isDirectory()).toBe(true);
});
