import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProcess, startProcess, temporaryFolder, temporaryHome } from "@devflow/testkit";
import { openStore } from "../store/open-store.ts";
import { mergePartials } from "./merge-partials.ts";
import { readPartials, removePartials } from "./partials.ts";

const collect = join(import.meta.dir, "../../testing/programs/collect.ts");
const defaults = { nowMs: Date.UTC(2026, 0, 1) };

function partial(home: string, pid: number, content: object): void {
  const folder = join(home, "eval-partials/s");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `worker_${pid}.json`), JSON.stringify(content));
}

test("partials distinguish finished, running and dead workers, and push merges them", async () => {
  const home = temporaryHome();
  const worker = (...words: string[]) => [process.execPath, collect, "my suite", ...words];
  const env = home.environment();
  const [finished, died] = await Promise.all([
    runProcess(worker("0", "4", "finish"), { env }),
    runProcess(worker("4", "3", "die"), { env }),
  ]);
  expect(died.killedBy).toBe("SIGKILL");
  await using running = startProcess(worker("7", "2", "wait"), { env });
  await running.waitForOutput(/\d+/);

  const read = await readPartials(home.devflowHome, "my suite", defaults);
  const states = Object.fromEntries(read.partials.map(({ worker: { state, results } }) => [state, results]));
  expect(states).toEqual({ finished: 4, running: 2, dead: 3 });
  const merged = mergePartials(read);
  expect(merged?.run).toMatchObject({ runId: "one-run", suite: "my suite", tier: "fast" });
  expect(merged?.results).toHaveLength(9);
  expect(merged?.warnings).toEqual([`Worker ${died.stdout.trim()} died after 3 results; 1 missing.`]);
  expect(finished.code).toBe(0);

  const store = await openStore(home.devflowHome);
  expect((await store.push(merged as never)).line).toMatchObject({ total: 9, passed: 5, failed: 4 });
  store.close();
  await removePartials(read);
  expect((await readPartials(home.devflowHome, "my suite", defaults)).partials).toEqual([]);
});

test("if two workers report one case, the last finished counts and the other is kept", async () => {
  const home = temporaryFolder();
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  partial(home, 900001, {
    all_results: [
      { name: "a", passed: false, finished_at: at(5), duration_ms: 1 },
      { name: "b", passed: true, finished_at: at(1), duration_ms: 9000 },
      { name: "b", passed: true, finished_at: at(2) },
    ],
  });
  partial(home, 900002, {
    all_results: [
      { name: "a", passed: true, finished_at: at(4), duration_ms: 9000 },
      { name: "b", passed: false, finished_at: at(3), duration_ms: 1 },
      { name: "a", input: "other", passed: true, finished_at: at(1) },
    ],
  });
  const merged = mergePartials(await readPartials(home, "s", defaults));
  const said = merged?.results.map(({ name, inputSha, repeat, status }) => [name, inputSha !== null, repeat, status]);
  expect(said).toEqual([
    ["a", false, 0, "fail"],
    ["b", false, 0, "fail"],
    ["b", false, 1, "pass"],
    ["a", true, 0, "pass"],
  ]);
  expect(merged?.superseded.map(({ name, status, durationMs }) => [name, status, durationMs])).toEqual([
    ["a", "pass", 9000],
    ["b", "pass", 9000],
  ]);
});

test("partials of an earlier run and unreadable ones are left out and reported", async () => {
  const home = temporaryFolder();
  partial(home, 900001, { run_id: "old", all_results: [{ name: "a", passed: true }] });
  await Bun.sleep(20);
  partial(home, 900002, { run_id: "new", all_results: [{ name: "b", passed: true }] });
  writeFileSync(join(home, "eval-partials/s/worker_900003.json"), "nonsense");
  const { partials, leftOut } = await readPartials(home, "s", defaults);
  expect(partials.map(({ givenRunId }) => givenRunId)).toEqual(["new"]);
  expect(leftOut.map((text) => text.replace(/^.*worker_(\d+)\.json: /, "$1 "))).toEqual([
    expect.stringContaining("900003 "),
    "900001 left over from run old",
  ]);
});

test("total costs of the workers are added per model", async () => {
  const home = temporaryFolder();
  const costs = [{ model: "m", calls: 2, input_tokens: 10, output_tokens: 1 }];
  for (const pid of [900001, 900002]) partial(home, pid, { costs, all_results: [{ name: `${pid}`, passed: true }] });
  const merged = mergePartials(await readPartials(home, "s", defaults));
  expect(merged?.run.costs).toMatchObject([{ model: "m", calls: 4, inputTokens: 20, outputTokens: 2 }]);
});

test("a single-process program finalizes a result file and removes its partial", async () => {
  const home = temporaryHome();
  const { stdout } = await runProcess([process.execPath, collect, "s", "0", "3", "finalize"], {
    env: home.environment(),
  });
  const file = JSON.parse(readFileSync(stdout.trim(), "utf8"));
  expect(file).toMatchObject({ schema_version: 1, suite: "s", run_id: "one-run", tier: "fast", total: 3, passed: 2 });
  expect(readdirSync(join(home.devflowHome, "eval-partials/s"))).toEqual([stdout.trim().split("/").at(-1) as string]);
});
