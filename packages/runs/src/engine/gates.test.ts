/** Verdicts at gates and their consequences. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import type { Actor } from "../events/actor.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 50 });
afterAll(() => bench.close());
const gated = { ...planPhase, gates: ["plan_approved"] };

beforeAll(async () => {
  await bench.addTemplate(smallTemplate("gated", [gated]));
  await bench.addTemplate(smallTemplate("gated-work", [{ ...workPhase, gates: ["ship_approved"] }]));
  await bench.addTemplate(smallTemplate("four-eyes", [gated], { deciderMayNotBeStarter: true }));
  await bench.addTemplate(smallTemplate("frozen", [{ ...gated, approvalTimeoutMs: 3_000 }]));
  await bench.addTemplate(smallTemplate("two-gates", [{ ...planPhase, gates: ["plan_approved", "ship_approved"] }]));
  await bench.addTemplate(smallTemplate("judged", [{ ...planPhase, gates: ["plan_approved", "auto:consensus"] }]));
  await bench.addTemplate(smallTemplate("never", [{ ...planPhase, gates: ["plan_approved", "auto:tests_pass"] }]));
});

const play = (template: string, script = {}) => bench.play(script, { template });
const token = () => ({ clientToken: uuidv7() });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: { code?: string }) => error.code,
  );

describe("request changes", () => {
  test("asks again with the person's comment, and sets the old answer aside", async () => {
    const runId = await play("gated");
    const first = await bench.gate(runId);
    await bench.decide(first.id, "request_changes", "Tests first, please");
    const again = await bench.until(runId, (one) => one.approvals.length === 2);
    expect(again.approvals.map((one) => [one.state, one.payload.attempt])).toEqual([
      ["changes_requested", 1],
      ["pending", 2],
    ]);
    const [before, after] = await bench.prompts(runId);
    expect(before?.instructions).not.toContain("Tests first, please");
    expect(after).toMatchObject({ attempt: 2 });
    expect(after?.instructions).toContain("> Tests first, please");
    const folder = join(bench.context.workspaceRoot, runId, "artifacts");
    expect(JSON.parse(readFileSync(join(folder, "plan.json.attempt-1"), "utf8")).summary).toBe(
      "The table, then the fallback.",
    );
    expect(existsSync(join(folder, "plan.json"))).toBe(true);
    expect((await bench.finish(runId)).run.state).toBe("completed");
    // The comment was for one answer; later prompts do not have it.
    expect((await bench.snapshot(runId)).phases[0]?.comment).toBeNull();
  });

  test("at the gate of a work phase leads back to work, not to planning", async () => {
    const runId = await play("gated-work");
    await bench.decide((await bench.gate(runId)).id, "request_changes", "Smaller");
    const events = await bench.events(runId);
    expect(events.findLast((one) => one.type === "phase.started")?.payload).toMatchObject({
      attempt: 2,
      runState: "executing",
    });
    expect((await bench.finish(runId)).run.state).toBe("completed");
  });
});

test("reject ends the run as failed, with the reason in its report", async () => {
  const runId = await play("gated");
  await bench.decide((await bench.gate(runId)).id, "reject", "Not this way");
  const { run, phases } = await bench.finish(runId);
  expect([run.state, run.failure_reason, phases[0]?.state]).toEqual(["failed", "reject: Not this way", "failed"]);
});

test("abort at a gate ends the run as aborted", async () => {
  const runId = await play("gated");
  await bench.decide((await bench.gate(runId)).id, "abort");
  const { run } = await bench.finish(runId);
  expect(run.state).toBe("aborted");
  expect(await bench.eventTypes(runId)).toContain("run.aborted");
});

test("gates of one phase are asked one by one", async () => {
  const runId = await play("two-gates");
  const first = await bench.gate(runId);
  expect(first.gate_key).toBe("plan_approved");
  await bench.decide(first.id, "approve");
  const second = await bench.gate(runId);
  expect(second.gate_key).toBe("ship_approved");
  expect((await bench.snapshot(runId)).run.state).toBe("awaiting_approval");
  await bench.decide(second.id, "approve");
  expect((await bench.finish(runId)).run.state).toBe("completed");
});

describe("a gate that the engine decides", () => {
  test("passes by the facts without asking anyone", async () => {
    const runId = await play("judged");
    await bench.decide((await bench.gate(runId)).id, "approve");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    const events = await bench.events(runId);
    expect(events.find((one) => one.type === "gate.evaluated")?.payload).toMatchObject({
      gate: "auto:consensus",
      passed: true,
    });
  });

  test("that does not pass, after a person approved, asks a person how to continue", async () => {
    const runId = await play("never");
    await bench.decide((await bench.gate(runId)).id, "approve");
    const recovery = await bench.gate(runId);
    expect([recovery.kind, recovery.gate_key]).toEqual(["recovery", "recovery:gate_not_passed"]);
    expect((await bench.snapshot(runId)).run.state).toBe("paused");
    await bench.decide(recovery.id, "reject");
    expect((await bench.finish(runId)).run.state).toBe("failed");
  });
});

describe("deciding", () => {
  test("the same token with the same verdict is one decision; with another it is a conflict", async () => {
    const runId = await play("two-gates");
    const gate = await bench.gate(runId);
    const input = { verdict: "approve" as const, ...token() };
    const first = await bench.engine.decide(gate.id, input, bench.person);
    const second = await bench.engine.decide(gate.id, input, bench.person);
    expect([first.created, second.created, second.id]).toEqual([true, false, first.id]);
    expect(await codeOf(bench.engine.decide(gate.id, { ...input, verdict: "reject" }, bench.person))).toBe(
      "approval_decided",
    );
    expect(await codeOf(bench.decide(gate.id, "approve"))).toBe("approval_decided");
    await bench.finish(runId);
  });

  test("of two concurrent deciders one wins, and the other's error names the winner", async () => {
    const runId = await play("gated");
    const gate = await bench.gate(runId);
    const outcomes = await Promise.allSettled(
      (["approve", "reject", "request_changes", "abort"] as const).map((verdict) => bench.decide(gate.id, verdict)),
    );
    const refused = outcomes.filter((one) => one.status === "rejected");
    expect(refused.map((one) => one.reason.code)).toEqual(Array(3).fill("approval_decided"));
    const winner = outcomes.find((one) => one.status === "fulfilled");
    const verdict = winner?.status === "fulfilled" ? winner.value.verdict.replace("_", " ") : "";
    expect(refused[0]?.reason.message).toContain(verdict);
    const events = await bench.eventTypes(runId);
    expect(events.filter((one) => one === "approval.resolved")).toHaveLength(1);
    await bench.finish(runId);
  });

  test("is refused for an agent", async () => {
    const runId = await play("gated");
    const gate = await bench.gate(runId);
    const agent: Actor = { ...bench.person, kind: "agent" };
    const { engine } = bench;
    for (const work of [
      engine.decide(gate.id, { verdict: "approve", ...token() }, agent),
      engine.pauseRun(runId, token(), agent),
      engine.resumeRun(runId, token(), agent),
      engine.abortRun(runId, { reason: "mine" }, agent),
      engine.answerPermission({ sessionId: uuidv7(), permissionId: "p", answer: "allow" }, agent),
    ])
      expect(await codeOf(work)).toBe("agent_may_not_decide");
    expect((await bench.snapshot(runId)).run.state).toBe("awaiting_approval");
    await bench.finish(runId);
  });

  test("is refused for the starter if the template requires a second person", async () => {
    const runId = await play("four-eyes");
    const gate = await bench.gate(runId);
    expect(await codeOf(bench.decide(gate.id, "approve"))).toBe("starter_may_not_decide");
    const other: Actor = { userId: uuidv7(), kind: "human", via: "web" };
    await bench.engine.decide(gate.id, { verdict: "approve", ...token() }, other);
    expect((await bench.finish(runId)).run.state).toBe("completed");
  });

  test("on a run that has ended, or an unknown gate, is refused", async () => {
    const runId = await play("gated");
    const gate = await bench.gate(runId);
    await bench.engine.abortRun(runId, { reason: "enough" }, bench.person);
    expect(await codeOf(bench.decide(gate.id, "approve"))).toBe("approval_decided");
    expect(await codeOf(bench.decide(uuidv7(), "approve"))).toBe("not_found");
    await bench.finish(runId);
  });
});

test("an unanswered gate pauses the run and decides nothing; resuming asks again, with the full time", async () => {
  const runId = await play("frozen");
  const gate = await bench.gate(runId);
  const frozen = await bench.until(runId, (one) => one.run.state === "paused");
  expect(frozen.approvals.map((one) => [one.state, one.epoch])).toEqual([["paused", 1]]);
  expect(await codeOf(bench.decide(gate.id, "approve"))).toBe("run_paused");
  await bench.engine.resumeRun(runId, token(), bench.person);
  const asked = await bench.until(runId, (one) => one.approvals[0]?.state === "pending");
  expect([asked.run.state, asked.approvals[0]?.epoch]).toEqual(["awaiting_approval", 2]);
  expect(Date.parse(asked.approvals[0]?.timeout_at ?? "")).toBeGreaterThan(Date.parse(gate.timeout_at ?? "") + 100);
  const refrozen = await bench.until(runId, (one) => one.run.state === "paused");
  expect(refrozen.approvals[0]?.state).toBe("paused");
  await bench.engine.resumeRun(runId, token(), bench.person);
  await bench.decide(gate.id, "approve");
  expect((await bench.finish(runId)).run.state).toBe("completed");
  const asks = (await bench.events(runId)).filter((one) => one.type === "approval.requested");
  expect(asks.map((one) => one.payload.epoch ?? 1)).toEqual([1, 2, 3]);
});
