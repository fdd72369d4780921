import { expect, test } from "bun:test";
import { join } from "node:path";
import { checks } from "./check.ts";

function runCheck(...words: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "check.ts"), ...words]);
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("one check can be run by name, and prints one line with its time", () => {
  const { exitCode, stdout } = runCheck("versions");
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^ok {3}versions {3}\d+\.\d s\n$/)]);
});

test("with --json a check is one object a line, for the program that counts them", () => {
  const { stdout } = runCheck("versions", "--json");
  expect(JSON.parse(stdout)).toEqual({ name: "versions", ok: true, detail: "", ms: expect.any(Number) });
});

test("a check that does not exist is an error that lists those that do", () => {
  const { exitCode, stderr } = runCheck("bondaries");
  expect(exitCode).toBe(64);
  for (const { name, promises } of checks) expect(stderr).toContain(`${name.padEnd(10)} ${promises}`);
});
