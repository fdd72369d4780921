import { describe, expect, test } from "bun:test";
import { fakeClock } from "./index.ts";

describe("the fake clock", () => {
  test("stands still until it is advanced", async () => {
    const clock = fakeClock(1000);
    let isAwake = false;
    clock.sleep(50).then(() => {
      isAwake = true;
    });
    await clock.advance(49);
    expect({ isAwake, now: clock.now(), sleeping: clock.sleeping, next: clock.nextWakeMs() }).toEqual({
      isAwake: false,
      now: 1049,
      sleeping: 1,
      next: 1,
    });
    await clock.advance(1);
    expect({ isAwake, now: clock.now(), sleeping: clock.sleeping, next: clock.nextWakeMs() }).toEqual({
      isAwake: true,
      now: 1050,
      sleeping: 0,
      next: undefined,
    });
  });

  test("wakes sleepers in the order of their time, each at its own moment, and those they put to sleep too", async () => {
    const clock = fakeClock(0);
    const seen: string[] = [];
    const sleeper = async (name: string, ms: number, again = 0) => {
      await clock.sleep(ms);
      seen.push(`${name}@${clock.now()}`);
      if (again > 0) await sleeper(`${name}+`, again);
    };
    const all = Promise.all([sleeper("late", 30), sleeper("early", 10, 15), sleeper("tie", 10)]);
    await clock.advance(100);
    await all;
    expect(seen).toEqual(["early@10", "tie@10", "early+@25", "late@30"]);
    expect(clock.now()).toBe(100);
  });

  test("an aborted sleeper rejects with the reason and no longer sleeps", async () => {
    const clock = fakeClock();
    const abort = new AbortController();
    const asleep = clock.sleep(10, abort.signal);
    abort.abort(new Error("no longer needed"));
    await expect(asleep).rejects.toThrow("no longer needed");
    expect(clock.sleeping).toBe(0);
    await expect(clock.sleep(10, abort.signal)).rejects.toThrow("no longer needed");
    await clock.advance(100);
  });
});
