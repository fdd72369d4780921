import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess, startProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { importedRun, result } from "../../testing/imported-run.ts";
import { openStore } from "../store/open-store.ts";
import { readPartials, removePartials, suitesWithPartials } from "./partials.ts";
import { timeLeft } from "./time-left.ts";
import { mostRows, type Watch, type WatchDelta } from "./watch-state.ts";
import { type WatchNews, watchSuite } from "./watch-suite.ts";

const collect = join(import.meta.dir, "../../testing/programs/collect.ts");

function partial(home: string, pid: number, content: object): void {
  const folder = join(home, "eval-partials/s");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `worker_${pid}.json`);
  writeFileSync(`${path}.tmp`, JSON.stringify(content));
  renameSync(`${path}.tmp`, path);
}

const watched = (news: WatchNews): Watch => {
  if (news.event === "nothing") throw new Error("there are no partials");
  return news.watch;
};
const finishedAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

test("finished, running and killed workers are distinguished, and the killed one is reported", async () => {
  const home = temporaryHome();
  const env = home.environment();
  const worker = (...words: string[]) => [process.execPath, collect, "my suite", ...words];
  const watch = watchSuite(home.devflowHome, "my suite");
  expect(await watch.read()).toEqual({ event: "nothing" });

  await runProcess(worker("0", "4", "finish"), { env });
  const first = await watch.read();
  expect(first.event).toBe("snapshot");
  expect(watched(first)).toMatchObject({
    suite: "my suite",
    runId: "one-run",
    tier: "fast",
    state: "finished",
    done: 4,
  });

  await using running = startProcess(worker("7", "2", "wait"), { env });
  await running.waitForOutput(/\d+/);
  const died = await runProcess(worker("4", "3", "die"), { env });
  const pid = Number(died.stdout.trim());
  const second = await watch.read();
  expect(second.event).toBe("delta");
  if (second.event !== "delta") return;
  expect(second.watch.state).toBe("running");
  expect(second.watch.workers.map(({ state }) => state).sort()).toEqual(["dead", "finished", "running"]);
  // A delta contains only what is new.
  expect(second.delta.rows).toHaveLength(5);
  expect(second.delta.workers.map(({ state }) => state).sort()).toEqual(["dead", "running"]);
  expect(applyDelta(watched(first), second.delta)).toEqual(second.watch);
  expect(second.watch.warnings).toEqual([`Worker ${pid} died after 3 results; 1 missing.`]);

  await running.stop();
  const third = await watch.read();
  expect(third).toMatchObject({ event: "delta", delta: { state: "died", rows: [] } });
  expect((await watch.read()).event).toBe("same");
});

test("another run starts with a new snapshot", async () => {
  const home = temporaryFolder();
  partial(home, 900001, { run_id: "one", all_results: [{ name: "a", passed: true }] });
  const watch = watchSuite(home, "s");
  expect(await watch.read()).toMatchObject({ event: "snapshot", watch: { runId: "one", seq: 1 } });
  await Bun.sleep(20);
  partial(home, 900002, { run_id: "two", all_results: [] });
  expect(await watch.read()).toMatchObject({ event: "snapshot", watch: { runId: "two", done: 0, rows: [] } });
  expect(await suitesWithPartials(home)).toEqual(["s"]);
});

test("when the run is stored and its partials are removed, the viewer sees the end, including missed results", async () => {
  const home = temporaryFolder();
  partial(home, process.pid, { run_id: "r", all_results: [{ name: "a", passed: true }], planned: 3 });
  const watch = watchSuite(home, "s");
  expect(watched(await watch.read())).toMatchObject({ state: "running", done: 1, expected: 3 });
  const store = await openStore(home);
  const results = ["pass", "fail", "pass"].map((status, at) =>
    result({ name: "abc"[at] ?? "", status: status as "pass" }),
  );
  await store.push(importedRun({ runId: "r", suite: "s" }, results));
  store.close();
  await removePartials(await readPartials(home, "s", { nowMs: 0 }));
  const news = await watch.read();
  expect(news).toMatchObject({ event: "delta", delta: { state: "finished", done: 3, eta: null } });
  expect(watched(news).tally).toEqual({ total: 3, passed: 2, failed: 1, errors: 0, skipped: 0 });
  expect(watched(news).rows.map(({ name, status }) => [name, status])).toEqual([
    ["c", "pass"],
    ["b", "fail"],
    ["a", "pass"],
  ]);
  expect((await watch.read()).event).toBe("same");
});

test("partials that are removed one by one are not mistaken for a run with fewer results", async () => {
  const home = temporaryFolder();
  const worker = { finished: true };
  const rows = (names: readonly string[]) => names.map((name) => ({ name, passed: true }));
  const facts = { run_id: "r", timestamp: finishedAt(0), planned: 3, worker };
  partial(home, 900001, { ...facts, worker: { coordinator: true, finished: true }, all_results: [] });
  partial(home, 900002, { ...facts, all_results: rows(["a", "b"]) });
  partial(home, 900003, { ...facts, all_results: rows(["c"]) });
  const [seenBefore, seenLater] = [watchSuite(home, "s"), watchSuite(home, "s")];
  expect(watched(await seenBefore.read())).toMatchObject({ state: "finished", done: 3 });
  const store = await openStore(home);
  await store.push(
    importedRun(
      { runId: "r", suite: "s" },
      ["a", "b", "c"].map((name) => result({ name })),
    ),
  );
  store.close();
  for (const pid of [900001, 900002]) rmSync(join(home, `eval-partials/s/worker_${pid}.json`));
  for (const watch of [seenBefore, seenLater]) {
    expect(watched(await watch.read())).toMatchObject({ state: "finished", done: 3, tally: { passed: 3 } });
  }
  rmSync(join(home, "eval-partials/s/worker_900003.json"));
  for (const watch of [seenBefore, seenLater]) {
    expect(await watch.read()).toMatchObject({ event: "same", watch: { state: "finished", done: 3 } });
  }
});

test("rows, costs and the time left are reported, and unpriced calls are counted separately", async () => {
  const home = temporaryFolder();
  const usage = [{ model: "claude-haiku-4-5", input_tokens: 1_000_000, output_tokens: 0 }];
  const rows = [1, 3, 5, 7].map((second) => ({
    name: `case ${second}`,
    passed: second !== 5,
    finished_at: finishedAt(second),
    failures: second === 5 ? [{ message: "no rent in it" }] : [],
    usage: second === 7 ? [{ model: "in-house", input_tokens: 5 }] : usage,
  }));
  partial(home, process.pid, { timestamp: finishedAt(0), planned: 10, all_results: rows });
  const watch = watched(await watchSuite(home, "s", { now: () => Date.parse(finishedAt(8)) }).read());
  expect(watch.cost).toEqual({ actualUsd: 0, estimatedUsd: 3, unpricedCalls: 1 });
  expect(watch.rows.map(({ name, usd, problem }) => [name, usd, problem])).toEqual([
    ["case 7", null, null],
    ["case 5", 1, "no rent in it"],
    ["case 3", 1, null],
    ["case 1", 1, null],
  ]);
  // One every 2 s, six remaining, one second of the next gap has passed; nothing varied.
  expect(watch.eta).toEqual({ ms: 11_000, lowMs: 11_000, highMs: 11_000 });
});

test("the interval of the time left contains the true value about 95 times in 100", () => {
  // Exponential gaps from a small generator with a fixed seed.
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const gap = () => -Math.log(1 - random()) * 1000;
  let covered = 0;
  for (let trial = 0; trial < 2000; trial += 1) {
    const times = [0];
    for (let count = 0; count < 30; count += 1) times.push((times.at(-1) ?? 0) + gap());
    let truth = 0;
    for (let count = 0; count < 20; count += 1) truth += gap();
    const left = timeLeft(times, 20, times.at(-1) ?? 0);
    if (left && left.lowMs <= truth && truth <= left.highMs) covered += 1;
  }
  expect(covered / 2000).toBeGreaterThan(0.92);
  expect(covered / 2000).toBeLessThan(0.98);
  expect(timeLeft([0, 1, 2], 5, 2)).toBeNull();
  expect(timeLeft([0, 1, 2, 3], 0, 3)).toBeNull();
});

/** Applies a delta, as a viewer does; the result equals the server's state. */
function applyDelta(watch: Watch, delta: WatchDelta): Watch {
  const changed = new Map(delta.workers.map((worker) => [worker.pid, worker]));
  const known = new Set(watch.workers.map(({ pid }) => pid));
  return {
    ...watch,
    ...delta,
    workers: [
      ...watch.workers.map((worker) => changed.get(worker.pid) ?? worker),
      ...delta.workers.filter(({ pid }) => !known.has(pid)),
    ],
    rows: [...delta.rows, ...watch.rows].slice(0, mostRows),
  };
}
