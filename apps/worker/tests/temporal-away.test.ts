/** Runs on Temporal while Temporal is not what it should be: away, empty, without its namespace, refusing. */
import { afterAll, expect, test } from "bun:test";
import { openEngineBench, planPhase, smallTemplate } from "@devflow/runs/testing";
import { startTemporal } from "@devflow/testkit/temporal-server";
import { Client, Connection } from "@temporalio/client";
import type { TemporalDriver } from "../src/temporal/temporal-driver.ts";
import { temporalTestDriver } from "../testing/index.ts";

// Another namespace than the one that the driver wants.
const temporal = await startTemporal({ namespaces: ["other"] });
const choice = await temporalTestDriver({ address: temporal.address, namespace: "devflow" });
await temporal.kill();
let driver: TemporalDriver | undefined;
const bench = await openEngineBench({
  host: "away",
  driver: {
    engine: "temporal",
    create(context) {
      driver = choice.create(context);
      return driver;
    },
  },
});
await bench.addTemplate(smallTemplate("gated", [{ ...planPhase, gates: ["plan_approved"] }]));
afterAll(async () => {
  await bench.close();
  await temporal.stop();
});

const start = async (): Promise<string> => (await bench.start({ template: "gated@1" })).runId;
const approve = async (runId: string) => {
  const gate = await bench.gate(runId);
  await bench.decide(gate.id, "approve");
};
const closed = async (runId: string): Promise<string> =>
  (await bench.until(runId, ({ run }) => run.final_report_path !== null)).run.state;
const untilState = async (kind: string): Promise<string> => {
  for (;;) {
    const state = driver?.state();
    if (state?.kind === kind) return state.message;
    await Bun.sleep(50);
  }
};
const waiting = async (): Promise<number> => (await bench.admin`select from app.run_wakes`).length;

async function connect(): Promise<{ client: Client; connection: Connection }> {
  const connection = await Connection.connect({ address: temporal.address });
  return { client: new Client({ connection, namespace: "devflow" }), connection };
}

test("started before Temporal, a run waits for it and for its namespace, and then completes", async () => {
  const runId = await start();
  expect(await untilState("unreachable")).toBe(
    `${temporal.address} does not answer. Decisions are kept, and applied when it is back.`,
  );
  expect(await waiting()).toBe(1);
  await temporal.start();
  expect(await untilState("namespace_missing")).toBe(
    `${temporal.address} has no namespace devflow. Create it: temporal operator namespace create --address ${temporal.address} -n devflow`,
  );
  await createNamespace();
  await untilState("connected");
  await approve(runId);
  expect(await closed(runId)).toBe("completed");
  expect(await waiting()).toBe(0);
});

test("what people decide while Temporal is away is applied when it is back", async () => {
  const [paused, approved, aborted] = [await start(), await start(), await start()];
  for (const runId of [paused, approved, aborted]) await bench.gate(runId);
  await temporal.kill();
  await bench.engine.pauseRun(paused, { clientToken: "p" }, bench.person);
  await approve(approved);
  await bench.engine.abortRun(aborted, { reason: "no longer needed" }, bench.person);
  expect((await bench.snapshot(approved)).run.final_report_path).toBeNull();
  await temporal.start();
  expect([await closed(approved), await closed(aborted)]).toEqual(["completed", "aborted"]);
  expect((await bench.snapshot(paused)).run.state).toBe("paused");
  await bench.engine.resumeRun(paused, { clientToken: "r" }, bench.person);
  await approve(paused);
  expect(await closed(paused)).toBe("completed");
});

test("a workflow that somebody ended is started again, and so are all when Temporal has lost its data", async () => {
  const [terminated, forgotten] = [await start(), await start()];
  await bench.gate(terminated);
  await bench.gate(forgotten);
  const { client, connection } = await connect();
  await client.workflow.getHandle(terminated).terminate("by hand");
  await approve(terminated);
  expect(await closed(terminated)).toBe("completed");
  await connection.close();

  await temporal.kill();
  temporal.forget();
  await temporal.start();
  await createNamespace();
  await approve(forgotten);
  expect(await closed(forgotten)).toBe("completed");
});

test("the history of a run has ids and no content", async () => {
  const runId = (await bench.start({ template: "gated@1", requirements: "Paint the bikeshed mauve", title: "Mauve" }))
    .runId;
  await bench.gate(runId);
  await bench.decide((await bench.gate(runId)).id, "approve", "A comment about mauve");
  await closed(runId);
  const { client, connection } = await connect();
  const history = JSON.stringify(await client.workflow.getHandle(runId).fetchHistory());
  await connection.close();
  const text = history.replaceAll(/"data":"([^"]+)"/g, (_, data: string) => Buffer.from(data, "base64").toString());
  expect(text).not.toMatch(/mauve|bikeshed/i);
  expect(text).toContain(runId);
});

async function createNamespace(): Promise<void> {
  const connection = await Connection.connect({ address: temporal.address });
  await connection.workflowService.registerNamespace({
    namespace: "devflow",
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
}
