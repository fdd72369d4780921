/** The engine from end to end: a real database, real worktrees, fake agents as real processes. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { validateArtifact } from "../artifacts/schema-registry.ts";
import { verifyRun } from "../reports/verify-run.ts";
import type { Snapshot } from "./snapshot.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 20 });
afterAll(() => bench.close());

const isAsked = ({ approvals }: Snapshot): boolean => approvals.some((one) => one.state === "pending");
const pending = ({ approvals }: Snapshot) => approvals.find((one) => one.state === "pending");
const hasEnded = ({ run }: Snapshot): boolean => run.final_report_path !== null;

async function approveAll(runId: string): Promise<Snapshot> {
  for (;;) {
    const now = await bench.until(runId, (one) => isAsked(one) || hasEnded(one));
    const gate = pending(now);
    if (!gate) return now;
    await bench.engine.decide(gate.id, { verdict: "approve", clientToken: uuidv7() }, bench.person);
  }
}

test("a run goes from its requirements through its gates to a verified report", async () => {
  const { runId } = await bench.start();
  const asked = await bench.until(runId, isAsked);
  expect(asked.run.state).toBe("awaiting_approval");
  expect(pending(asked)?.gate_key).toBe("plan_approved");
  const done = await approveAll(runId);
  expect(done.run.state).toBe("completed");
  const report = JSON.parse(readFileSync(done.run.final_report_path as string, "utf8")) as Record<string, unknown>;
  expect(validateArtifact("common/final-report@4", report)).toEqual({ ok: true });
  expect(await verifyRun(bench.context, runId)).toMatchObject({ ok: true });
});
