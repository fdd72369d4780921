/** Pause, resume and abort, from every state. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isTerminalRun, type RunState } from "@devflow/core/enums";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { verifyRun } from "../reports/verify-run.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 50 });
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("two", [{ ...planPhase, gates: ["plan_approved"] }, workPhase]));
});

/** Agents that wait until they are allowed to continue, however long that takes. */
const start = () => bench.play({ plan: "permission", implement: "permission" }, { template: "two" });
const finish = (runId: string) => bench.finish(runId, { allow: true });
const token = () => ({ clientToken: uuidv7() });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: { code?: string }) => error.code,
  );

/** Brings a run to a state and leaves it there. */
async function leadTo(state: RunState): Promise<string> {
  const runId = await start();
  if (state === "created" || state === "bound") return runId;
  const allow = await bench.permission(runId);
  if (state === "planning") return runId;
  if (state === "paused") {
    await bench.engine.pauseRun(runId, token(), bench.person);
    return runId;
  }
  await allow();
  const gate = await bench.gate(runId);
  if (state === "awaiting_approval") return runId;
  await bench.decide(gate.id, "approve");
  await bench.permission(runId);
  return runId;
}

describe("pause", () => {
  test.each(["planning", "executing", "awaiting_approval"] as const)("from %s, twice, and on", async (state) => {
    const runId = await leadTo(state);
    for (let round = 0; round < 2; round++) {
      const paused = token();
      await bench.engine.pauseRun(runId, paused, bench.person);
      await bench.engine.pauseRun(runId, paused, bench.person);
      const { run } = await bench.snapshot(runId);
      expect([run.state, run.paused_from_state]).toEqual(["paused", state]);
      const resumed = token();
      await bench.engine.resumeRun(runId, resumed, bench.person);
      await bench.engine.resumeRun(runId, resumed, bench.person);
      expect((await bench.snapshot(runId)).run.state).toBe(state);
      // A late retry of the first pause pauses nothing.
      await bench.engine.pauseRun(runId, paused, bench.person);
      expect((await bench.snapshot(runId)).run.state).toBe(state);
    }
    const { run } = await finish(runId);
    expect(run.state).toBe("completed");
    const events = await bench.events(runId);
    const byHand = events.filter((one) => String(one.payload.cause).startsWith("command:"));
    expect(byHand.map((one) => one.type)).toEqual(["run.paused", "run.resumed", "run.paused", "run.resumed"]);
    expect(events.filter((one) => one.type === "prompt.sent")).toHaveLength(2);
  });

  test("stops everything: no decision except abort, and no progress while an agent finishes", async () => {
    const runId = await leadTo("planning");
    const allow = await bench.permission(runId);
    await bench.engine.pauseRun(runId, token(), bench.person);
    await allow();
    const path = join(bench.context.workspaceRoot, runId, "artifacts", "plan.json");
    while (!existsSync(path)) await Bun.sleep(15);
    await Bun.sleep(200);
    const still = await bench.snapshot(runId);
    expect([still.run.state, still.phases[0]?.state, still.artifacts.length]).toEqual([
      "paused",
      "awaiting_artifact",
      0,
    ]);
    await bench.engine.resumeRun(runId, token(), bench.person);
    const gate = await bench.gate(runId);
    await bench.engine.pauseRun(runId, token(), bench.person);
    expect(await codeOf(bench.decide(gate.id, "approve"))).toBe("run_paused");
    expect(await codeOf(bench.decide(gate.id, "abort"))).toBe("ok");
    expect((await finish(runId)).run.state).toBe("aborted");
  });

  test("survives a restart of the server", async () => {
    const runId = await leadTo("planning");
    await bench.engine.pauseRun(runId, token(), bench.person);
    await bench.restart();
    await Bun.sleep(100);
    expect((await bench.snapshot(runId)).run.state).toBe("paused");
    await bench.engine.resumeRun(runId, token(), bench.person);
    expect((await finish(runId)).run.state).toBe("completed");
  });

  test("a hard pause interrupts the agent's turn; the work is requested again", async () => {
    const runId = await leadTo("planning");
    const allow = await bench.permission(runId);
    await bench.engine.pauseRun(runId, { ...token(), hard: true }, bench.person);
    while (!(await bench.eventTypes(runId)).includes("permission.resolved")) await Bun.sleep(10);
    expect(await codeOf(allow())).toBe("permission_answered");
    await bench.engine.resumeRun(runId, token(), bench.person);
    expect((await finish(runId)).run.state).toBe("completed");
    const plans = (await bench.prompts(runId)).filter((one) => one.phaseKey === "plan");
    expect(plans.map((one) => one.attempt)).toEqual([1, 2]);
  });

  test("of a run that has ended, and resume of one that runs, are refused", async () => {
    const runId = await leadTo("planning");
    expect(await codeOf(bench.engine.resumeRun(runId, token(), bench.person))).toBe("illegal_transition");
    await finish(runId);
    expect(await codeOf(bench.engine.pauseRun(runId, token(), bench.person))).toBe("illegal_transition");
    expect(await codeOf(bench.engine.abortRun(runId, { reason: "late" }, bench.person))).toBe("illegal_transition");
  });
});

test.each(["created", "planning", "awaiting_approval", "executing", "paused"] as const)(
  "abort from %s ends the run, its agents and its open questions, with a report that verifies",
  async (state) => {
    const runId = await leadTo(state);
    await bench.engine.abortRun(runId, { reason: "changed my mind" }, bench.person);
    await bench.engine.abortRun(runId, { reason: "again" }, bench.person);
    const { run, phases, approvals, sessions } = await finish(runId);
    expect([run.state, run.failure_reason]).toEqual(["aborted", "changed my mind"]);
    expect(phases.every((one) => ["completed", "failed", "skipped"].includes(one.state))).toBe(true);
    expect(approvals.some((one) => one.state === "pending" || one.state === "paused")).toBe(false);
    expect(sessions.every((one) => one.state === "DISPOSED")).toBe(true);
    expect((await verifyRun(bench.context, runId)).checks.filter((one) => !one.ok)).toEqual([]);
    const types = await bench.eventTypes(runId);
    expect(types.slice(-2)).toEqual(["run.aborted", "report.written"]);
  },
);

test("aborting during a step leaves no event after the end except the report, and no agent", async () => {
  for (let round = 0; round < 12; round++) {
    const runId = await bench.play({}, { template: "two" });
    await Bun.sleep(round * 25);
    await bench.engine.abortRun(runId, { reason: "at some moment" }, bench.person);
    const { run, sessions } = await finish(runId);
    expect(isTerminalRun(run.state)).toBe(true);
    expect((await bench.eventTypes(runId)).slice(-2)).toEqual(["run.aborted", "report.written"]);
    expect(sessions.every((one) => one.state === "DISPOSED")).toBe(true);
  }
});
