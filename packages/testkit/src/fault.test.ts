import { describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { inspectConfig } from "@devflow/core/config";
import { killAt, runProcess, temporaryHome } from "./index.ts";

const home = temporaryHome();
const program = [process.execPath, fileURLToPath(new URL("./fixtures/visits-a-fault-point.ts", import.meta.url))];
const crash = async (extra: Record<string, string>) => {
  const { code, killedBy, stdout } = await runProcess(program, { env: home.environment(extra) });
  return { code, killedBy, stdout };
};

describe("a fault point", () => {
  test("kills the process with SIGKILL, and nothing after it runs", async () => {
    expect(await crash(killAt("afterWrite"))).toEqual({ code: null, killedBy: "SIGKILL", stdout: "before 1\n" });
  });

  test("kills at the given visit", async () => {
    const stdout = "before 1\nafter 1\nbefore 2\nafter 2\nbefore 3\n";
    expect(await crash(killAt("afterWrite", 3))).toEqual({ code: null, killedBy: "SIGKILL", stdout });
  });

  test("does nothing when another one is armed, or none", async () => {
    const whole = "before 1\nafter 1\nbefore 2\nafter 2\nbefore 3\nafter 3\n";
    expect(await crash(killAt("elsewhere"))).toEqual({ code: 0, killedBy: null, stdout: whole });
    expect(await crash({})).toEqual({ code: 0, killedBy: null, stdout: whole });
  });

  test("does nothing when the variable names no fault", async () => {
    for (const text of ["", "afterWrite", "afterWrite:exit", "after write:kill"])
      expect(await crash({ DEVFLOW_FAULT: text })).toMatchObject({ code: 0, killedBy: null });
  });

  test("with a name that can never be reached is refused", () => {
    expect(() => killAt("after write")).toThrow("not a fault");
    expect(() => killAt("afterWrite", 0)).toThrow("not a fault");
  });
});

test("the variables that tests set are known to the configuration", () => {
  const env = home.environment({ ...killAt("afterWrite"), DEVFLOW_TEST_CLUSTER: "{}", DEVFLOW_TEST_USER_HOME: "/" });
  expect(inspectConfig({ env }).warnings).toEqual([]);
});
