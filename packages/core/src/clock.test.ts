import { describe, expect, test } from "bun:test";
import { systemClock } from "./clock.ts";

describe("the system clock", () => {
  test("sleeps, and rejects with the signal's reason when aborted before or during the sleep", async () => {
    await systemClock.sleep(1);
    const reason = new Error("stop");
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const stop = new AbortController();
    const sleeping = systemClock.sleep(60_000, stop.signal);
    stop.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });
});

describe("fault points", () => {
  test("kill the process at once; other names do nothing", () => {
    const program = `
      const { faultPoint } = await import(${JSON.stringify(`${import.meta.dir}/fault-point.ts`)});
      faultPoint("another"); console.log("one");
      faultPoint("here"); console.log("two");
      faultPoint("here"); console.log("three");`;
    const run = (fault: string) => {
      const result = Bun.spawnSync([process.execPath, "-e", program], { env: { DEVFLOW_FAULT: fault } });
      return [result.signalCode ?? result.exitCode, result.stdout.toString()];
    };
    expect(run("here:kill")).toEqual(["SIGKILL", "one\n"]);
    expect(run("here:kill:2")).toEqual(["SIGKILL", "one\ntwo\n"]);
    expect(run("elsewhere:kill")).toEqual([0, "one\ntwo\nthree\n"]);
  });
});
