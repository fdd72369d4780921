import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@devflow/testkit";
import { nextLevel, runJobs, watchIdleCores } from "./schedule.mjs";
import { slowestFirst, writeTimings } from "./timings.mjs";

/** Runs jobs that end one after the other, and returns the maximum that ran at once. */
async function mostAtOnce(options: { jobs: number; cores: number; idle: number }) {
  let running = 0;
  let most = 0;
  const job = async () => {
    running += 1;
    most = Math.max(most, running);
    await Bun.sleep(60);
    running -= 1;
  };
  const jobs = Array.from({ length: options.jobs }, () => job);
  await runJobs(jobs, { cores: options.cores, idleCores: () => options.idle, everyMs: 5 });
  return most;
}

describe("at the same time", () => {
  test("there is one job per core while the machine is busy", async () => {
    expect(await mostAtOnce({ jobs: 9, cores: 2, idle: 0 })).toBe(2);
  });

  test("there are more when it is idle, up to four per core", async () => {
    expect(await mostAtOnce({ jobs: 30, cores: 2, idle: 1.5 })).toBe(8);
  });

  test("there is one less for each busy moment, but at least one per core", () => {
    expect(nextLevel(5, 0, 2)).toBe(4);
    expect(nextLevel(2, 0, 2)).toBe(2);
    expect(nextLevel(5, 0.3, 2)).toBe(5);
  });
});

test("every job is run, in the given order", async () => {
  const seen: number[] = [];
  const jobs = Array.from({ length: 20 }, (_, index) => async () => void seen.push(index));
  await runJobs(jobs, { cores: 2 });
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("a job that throws ends the run with its reason", async () => {
  const jobs = [async () => Promise.reject(new Error("the disk is full"))];
  expect(runJobs(jobs, { cores: 2 })).rejects.toThrow("the disk is full");
});

test("the idle cores of this machine are between none and all", async () => {
  const idleCores = watchIdleCores();
  await Bun.sleep(100);
  const idle = idleCores();
  expect(idle).toBeGreaterThanOrEqual(0);
  expect(idle).toBeLessThanOrEqual(navigator.hardwareConcurrency);
});

describe("the order", () => {
  const usual = JSON.parse(readFileSync(join(import.meta.dir, "slow-files.json"), "utf8")) as Record<string, number>;

  test("on a new machine follows the known slow files", () => {
    const slow = Object.keys(usual);
    const [first] = slowestFirst(["a.test.ts", ...slow.toReversed()], temporaryFolder("new"));
    expect(usual[first ?? ""]).toBe(Math.max(...Object.values(usual)));
  });

  test("follows the last run if there was one", () => {
    const root = temporaryFolder("known");
    writeTimings(root, [
      { file: "a.test.ts", ms: 10 },
      { file: "b.test.ts", ms: 900_000 },
    ]);
    expect(slowestFirst(["a.test.ts", ...Object.keys(usual), "b.test.ts"], root)[0]).toBe("b.test.ts");
  });

  test("names no missing file", () => {
    const gone = Object.keys(usual).filter((file) => !existsSync(join(import.meta.dir, "../..", file)));
    expect(gone).toEqual([]);
  });
});
