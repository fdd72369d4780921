/** Runs on a real Temporal server, from their start to their report. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createInlineDriver, createRunEngine, fakeEngineContext, openEngineBench } from "@devflow/runs/testing";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { temporalTestDriver } from "../testing/index.ts";

const temporal = await startTemporal();
const driver = await temporalTestDriver(temporal);
const bench = await openEngineBench({ host: "one-run", driver });
afterAll(async () => {
  await bench.close();
  await temporal.stop();
});

const waiting = async (): Promise<number> => (await bench.admin`select from app.run_wakes`).length;

test("a run on Temporal completes, its gates decided by a person, and leaves nothing to tell", async () => {
  const { runId } = await bench.start();
  const { run } = await bench.finish(runId);
  expect([run.state, run.engine]).toEqual(["completed", "temporal"]);
  for (const end = Date.now() + 5_000; (await waiting()) > 0 && Date.now() < end; ) await Bun.sleep(50);
  expect(await waiting()).toBe(0);
});

test("a run that began inline ends inline, whatever new runs begin with", async () => {
  const context = { ...bench.context, engine: "inline" as const };
  const inline = createRunEngine(context, createInlineDriver(context));
  const input = { teamId: bench.teamId, repository: bench.repository, template: "development-fake@1" };
  const { runId } = await inline.startRun({ ...input, requirements: "Greet", clientToken: "inline" }, bench.person);
  await bench.gate(runId);
  await inline.stop();
  // Another engine may take the decision; only the inline driver goes on.
  await bench.decide((await bench.gate(runId)).id, "approve");
  expect(await waiting()).toBe(0);
  const again = createRunEngine(context, createInlineDriver(context));
  await again.start();
  try {
    // Its own server tells its driver; this process has no feed.
    const gate = await bench.gate(runId);
    await again.decide(gate.id, { verdict: "approve", clientToken: "ship" }, bench.person);
    const { run } = await bench.until(runId, (now) => now.run.final_report_path !== null);
    expect([run.state, run.engine]).toEqual(["completed", "inline"]);
  } finally {
    await again.stop();
  }
});

test("two machines on one Postgres and one Temporal each drive their own runs, and decide those of the other", async () => {
  const folder = join(bench.context.workspaceRoot, "..", "another");
  const { database } = bench;
  const context = await fakeEngineContext({
    ...{ database, env: bench.context.env, folder, host: "another", engine: "temporal" },
  });
  const other = createRunEngine(context, driver.create(context));
  await other.start();
  try {
    const input = { teamId: bench.teamId, repository: bench.repository, template: "development-fake@1" };
    const theirs = await other.startRun({ ...input, requirements: "Greet", clientToken: "theirs" }, bench.person);
    const ours = await bench.start();
    const [first, second] = [await bench.finish(ours.runId), await bench.finish(theirs.runId)];
    expect([first.run, second.run].map(({ state, host }) => [state, host])).toEqual([
      ["completed", "one-run"],
      ["completed", "another"],
    ]);
  } finally {
    await other.stop();
  }
});
