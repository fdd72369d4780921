import { afterEach, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { startStaleLists } from "./stale-lists.ts";

let stop = () => {};
afterEach(() => stop());

function lists(pauseMs = 0) {
  const readings: { list: string; end: () => void }[] = [];
  const begun = Promise.withResolvers<void>();
  let wake = begun.resolve;
  const stale = startStaleLists<string>({
    read: (list) =>
      new Promise<void>((end) => {
        readings.push({ list, end });
        wake();
      }),
    pauseMs: () => pauseMs,
  });
  stop = stale.stop;
  let next = begun.promise;
  return {
    stale,
    readings,
    /** The next reading. */
    async reading() {
      await next;
      const fresh = Promise.withResolvers<void>();
      next = fresh.promise;
      wake = fresh.resolve;
      return readings.at(-1)!;
    },
  };
}

test("changes that come together are one reading of each list", async () => {
  const { stale, readings, reading } = lists();
  for (let count = 0; count < 50; count += 1) stale.mark("metrics");
  stale.mark("repos");
  await reading();
  await pause(1);
  expect(readings.map(({ list }) => list)).toEqual(["metrics", "repos"]);
});

test("a change during a reading is read after it, not by cutting it off", async () => {
  const { stale, readings, reading } = lists();
  stale.mark("metrics");
  const first = await reading();
  for (let count = 0; count < 50; count += 1) stale.mark("metrics");
  await pause(300);
  expect(readings).toHaveLength(1);
  first.end();
  const second = await reading();
  second.end();
  await pause(300);
  expect(readings).toHaveLength(2);
  stale.mark("metrics");
  await reading();
  expect(readings).toHaveLength(3);
});

test("a change while a list rests is read when it has rested", async () => {
  const { stale, readings, reading } = lists(200);
  stale.mark("metrics");
  (await reading()).end();
  await pause(20);
  stale.mark("metrics");
  await pause(20);
  expect(readings).toHaveLength(1);
  await reading();
  expect(readings).toHaveLength(2);
});

test("nothing is read after the page was left", async () => {
  const { stale, readings, reading } = lists();
  stale.mark("metrics");
  const first = await reading();
  stale.mark("metrics");
  stale.stop();
  first.end();
  await pause(300);
  expect(readings).toHaveLength(1);
});
