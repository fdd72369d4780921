import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendFile, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@devflow/core/clock";
import { setAside } from "./set-aside.ts";
import { signatureOf } from "./signature.ts";
import { type WaitOptions, waitForArtifact, waitForArtifacts } from "./wait-for-artifact.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "devflow-wait-"));
});
afterEach(() => rm(folder, { recursive: true }));

const debounceMs = 80;
const unfinishedMs = 1_000;
const at = (name: string) => join(folder, name);
const sleep = (ms: number) => systemClock.sleep(ms);

function options(more: Partial<WaitOptions> = {}): WaitOptions {
  return { folder, clock: systemClock, signal: AbortSignal.timeout(60_000), debounceMs, unfinishedMs, ...more };
}

/** Time that the test advances, and that runs by itself only from `run` on: a slow machine changes nothing. */
function handClock() {
  let now = 0;
  let runs = false;
  const clock: Clock = {
    now: () => now,
    sleep: async (_ms, signal) => {
      await systemClock.sleep(5, signal);
      if (runs) now += 50;
    },
  };
  return {
    clock,
    pass: (ms: number) => {
      now += ms;
    },
    run: () => {
      runs = true;
    },
  };
}

const textOf = async (reading: ReturnType<typeof waitForArtifact>): Promise<string> => {
  const found = await reading;
  return found.ok ? found.text : found.fault;
};

describe("waiting", () => {
  test("ends when the file appears, however it is written", async () => {
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options()));
    await sleep(30);
    await writeFile(at("a.tmp"), '{"n": 1}');
    await rename(at("a.tmp"), at("a.json"));
    expect(await waiting).toBe('{"n": 1}');
  });

  test("finds an existing file, as after a restart", async () => {
    await writeFile(at("a.json"), "{}");
    expect(await textOf(waitForArtifact({ path: at("a.json") }, options()))).toBe("{}");
  });

  test("finds a file by polling when the folder cannot be watched", async () => {
    // A file where a folder should be cannot be watched; it is replaced during the wait.
    await writeFile(at("sub"), "");
    const waiting = textOf(waitForArtifact({ path: at("sub/a.json") }, options({ pollMs: 40 })));
    await sleep(60);
    await rm(at("sub"));
    await mkdir(at("sub"));
    await writeFile(at("sub/a.json"), "{}");
    expect(await waiting).toBe("{}");
  });

  test("does not end before the file has been unchanged for the debounce", async () => {
    const { clock, pass, run } = handClock();
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options({ clock, debounceMs: 500 })));
    for (let n = 1; n <= 6; n++) {
      await writeFile(at("a.json"), JSON.stringify({ n }));
      await sleep(20);
      pass(300);
    }
    run();
    expect(await waiting).toBe('{"n":6}');
  });

  test("gives a half-written file time to be completed", async () => {
    const { clock, pass, run } = handClock();
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options({ clock })));
    await writeFile(at("a.json"), '{"half": ');
    await sleep(20);
    pass(debounceMs * 2);
    await sleep(20);
    await appendFile(at("a.json"), "true}");
    run();
    expect(await waiting).toBe('{"half": true}');
  });

  test("an empty file, and half of a character, count as half-written too", async () => {
    const { clock, pass, run } = handClock();
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options({ clock })));
    const whole = Buffer.from('"ä"');
    for (const part of [Buffer.alloc(0), whole.subarray(0, 2)]) {
      await writeFile(at("a.json"), part);
      await sleep(20);
      pass(debounceMs * 2);
      await sleep(20);
    }
    await writeFile(at("a.json"), whole);
    run();
    expect(await waiting).toBe('"ä"');
  });

  test("in the end takes unparsable content as the answer", async () => {
    await writeFile(at("a.json"), '{"half": ');
    const began = Date.now();
    const reading = await waitForArtifact({ path: at("a.json") }, options());
    expect(reading).toMatchObject({ ok: true, text: '{"half": ', json: { ok: false } });
    expect(Date.now() - began).toBeGreaterThanOrEqual(unfinishedMs - 5);
  });

  test("accepts a valid file whose time went backwards", async () => {
    await writeFile(at("a.json"), '{"n": 1}');
    const { clock, pass, run } = handClock();
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options({ clock, debounceMs: 500 })));
    await sleep(20);
    pass(400);
    await writeFile(at("a.json"), '{"n": 2}');
    await utimes(at("a.json"), 0, 0);
    run();
    expect(await waiting).toBe('{"n": 2}');
  });

  test("names a link or a directory at the path", async () => {
    await symlink(at("elsewhere"), at("link.json"));
    await mkdir(at("dir.json"));
    const readings = await waitForArtifacts([{ path: at("link.json") }, { path: at("dir.json") }], options());
    expect(readings.map((one) => (one.ok ? "ok" : one.fault))).toEqual(["symlink", "directory"]);
  });

  test("starts over when the file is removed", async () => {
    await writeFile(at("a.json"), "{}");
    const { clock, pass, run } = handClock();
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options({ clock, debounceMs: 500 })));
    await sleep(20);
    pass(400);
    await rm(at("a.json"));
    await sleep(20);
    pass(400);
    await writeFile(at("a.json"), "[]");
    run();
    expect(await waiting).toBe("[]");
  });

  test("ends when the caller aborts, with the caller's reason, and leaves no timer", async () => {
    const controller = new AbortController();
    const waiting = waitForArtifact({ path: at("never.json") }, options({ signal: controller.signal }));
    await sleep(20);
    controller.abort(new Error("the run was aborted"));
    await expect(waiting).rejects.toThrow("the run was aborted");
    const late = waitForArtifact({ path: at("never.json") }, options({ signal: controller.signal }));
    await expect(late).rejects.toThrow("the run was aborted");
  });

  test("a clock that is set back does not lengthen the wait", async () => {
    let shift = 0;
    const clock: Clock = { now: () => Date.now() + shift, sleep: systemClock.sleep };
    await writeFile(at("a.json"), "{}");
    const waiting = textOf(waitForArtifact({ path: at("a.json") }, options({ clock, pollMs: 40 })));
    await sleep(30);
    shift = -3_600_000;
    expect(await waiting).toBe("{}");
  });

  test("uses the given clock: a debounce of an hour ends when that clock says so", async () => {
    let now = 0;
    const clock: Clock = {
      now: () => now,
      sleep: async (ms, signal) => {
        now += Math.max(ms, 60_000);
        await systemClock.sleep(1, signal);
      },
    };
    await writeFile(at("a.json"), "{}");
    expect(await textOf(waitForArtifact({ path: at("a.json") }, options({ clock, debounceMs: 3_600_000 })))).toBe("{}");
    expect(now).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe("several files", () => {
  test("are returned in the order requested, when the last one is there", async () => {
    const files = ["one", "two", "three"].map((name) => ({ path: at(`${name}.json`) }));
    const waiting = waitForArtifacts(files, options());
    await writeFile(at("three.json"), "3");
    await sleep(60);
    await writeFile(at("one.json"), "1");
    await sleep(60);
    await writeFile(at("two.json"), "2");
    expect((await waiting).map((one) => one.ok && one.text)).toEqual(["1", "2", "3"]);
  });

  test("one that changes after it was finished is read again", async () => {
    const waiting = waitForArtifacts([{ path: at("one.json") }, { path: at("two.json") }], options());
    await writeFile(at("one.json"), '"old"');
    await sleep(debounceMs * 3);
    await writeFile(at("one.json"), '"new"');
    await writeFile(at("two.json"), "2");
    expect((await waiting).map((one) => one.ok && one.text)).toEqual(['"new"', "2"]);
  });
});

describe("a file from an earlier attempt", () => {
  const baselineOf = async (path: string) => {
    const baseline = await signatureOf({ path, folder });
    if (!baseline) throw new Error("nothing is there");
    // As it is stored across a restart.
    return JSON.parse(JSON.stringify(baseline)) as typeof baseline;
  };

  test("does not count until it is written again, even with the same bytes", async () => {
    const path = at("a.json");
    await writeFile(path, '"old"');
    const baseline = await baselineOf(path);
    let isOver = false;
    const waiting = textOf(waitForArtifact({ path, baseline }, options({ pollMs: 30 }))).finally(() => {
      isOver = true;
    });
    await sleep(debounceMs * 4);
    expect(isOver).toBe(false);
    await writeFile(path, '"old"');
    expect(await waiting).toBe('"old"');
  });

  test("counts when its bytes differ, even if size and time are the same", async () => {
    const path = at("a.json");
    await writeFile(path, '"old"');
    await utimes(path, 1_000, 1_000);
    const baseline = await baselineOf(path);
    await writeFile(path, '"new"');
    await utimes(path, 1_000, 1_000);
    expect((await stat(path)).mtimeMs).toBe(1_000_000);
    expect(await textOf(waitForArtifact({ path, baseline }, options()))).toBe('"new"');
  });

  test("a missing file has no baseline", async () => {
    expect(await signatureOf({ path: at("a.json"), folder })).toBeUndefined();
  });
});

describe("setting aside", () => {
  test("moves the old answer and frees the path", async () => {
    await writeFile(at("a.json"), "1");
    expect(await setAside(at("a.json"), 1)).toBe(at("a.json.attempt-1"));
    expect(await readdir(folder)).toEqual(["a.json.attempt-1"]);
  });

  test("repeated after a crash, keeps the answer of the next attempt", async () => {
    await writeFile(at("a.json"), "1");
    await setAside(at("a.json"), 1);
    expect(await setAside(at("a.json"), 1)).toBe(at("a.json.attempt-1"));
    await writeFile(at("a.json"), "2");
    expect(await setAside(at("a.json"), 1)).toBe(at("a.json.attempt-1"));
    expect(await Bun.file(at("a.json")).text()).toBe("2");
    expect(await Bun.file(at("a.json.attempt-1")).text()).toBe("1");
    await setAside(at("a.json"), 2);
    expect((await readdir(folder)).sort()).toEqual(["a.json.attempt-1", "a.json.attempt-2"]);
  });

  test("does nothing without a file; links and directories are moved as they are", async () => {
    expect(await setAside(at("a.json"), 1)).toBeUndefined();
    expect(await setAside(at("no/a.json"), 1)).toBeUndefined();
    await symlink(at("nowhere"), at("link.json"));
    await mkdir(at("dir.json"));
    await setAside(at("link.json"), 1);
    await setAside(at("dir.json"), 1);
    expect((await readdir(folder)).sort()).toEqual(["dir.json.attempt-1", "link.json.attempt-1"]);
  });
});
