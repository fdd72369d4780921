/** One run on a real Temporal server, from its start to its report. */
import { afterAll, expect, test } from "bun:test";
import { openEngineBench } from "@devflow/runs/testing";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { temporalTestDriver } from "../testing/index.ts";

const temporal = await startTemporal();
const bench = await openEngineBench({ host: "one-run", driver: await temporalTestDriver(temporal) });
afterAll(async () => {
  await bench.close();
  await temporal.stop();
});

test("a run on Temporal completes, its gates decided by a person", async () => {
  const { runId } = await bench.start();
  const { run } = await bench.finish(runId);
  expect([run.state, run.engine]).toEqual(["completed", "temporal"]);
});
