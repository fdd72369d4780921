/** A run whose server reaches Postgres through a real PgBouncer in transaction mode. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@devflow/db";
import { startPooler } from "@devflow/db/testing";
import { quietLog } from "@devflow/testkit";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate } from "../../testing/small-templates.ts";
import { openRuns } from "../open-runs.ts";

const bench = await openEngineBench();
await bench.addTemplate(smallTemplate("gated", [{ ...planPhase, gates: ["plan_approved"] }]));
const pooler = await startPooler({ target: bench.target, knows: "everyone" });
const database = await openDatabase({ target: pooler.url(bench.databaseName), log: quietLog });
const runs = await openRuns({
  database,
  log: quietLog,
  home: join(bench.context.workspaceRoot, ".."),
  host: "behind-a-pooler",
  workspaceRoot: bench.context.workspaceRoot,
  env: bench.context.env,
  maxConcurrentRuns: () => 4,
  fakeAgentCommand: [process.execPath, fileURLToPath(import.meta.resolve("@devflow/session/fake/agent"))],
  holderCommand: [],
  hookCommand: [],
  agents: ["claude", "codex"].map((backend) => ({ backend, available: false, reason: "not in this test" })),
  fakeDelayMs: 5,
});
await runs.start();
afterAll(async () => {
  await runs.stop();
  await database.close();
  await bench.close();
  await pooler.stop();
});

test("goes to its end, and hears what a person decides in another process", async () => {
  const { repository, teamId, person } = bench;
  const input = { teamId, template: "gated@1", repository, requirements: "x", clientToken: "pooled" };
  const { runId } = await runs.engine.startRun(input, person);
  const gate = await bench.gate(runId);
  await bench.decide(gate.id, "approve");
  const done = await bench.until(runId, ({ run }) => run.final_report_path !== null);
  expect(done.run.state).toBe("completed");
});
