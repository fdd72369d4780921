/** Budgets, and agents that say nothing any more. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";

const bench: EngineBench = await openEngineBench({ timing: { silenceMs: 400 } });
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("two", [planPhase, workPhase]));
});

const costs = (usd: number) => ({ scenario: "ok", usage: { costUsd: usd } });

test("a spent budget asks a person before the next phase, who grants as much again", async () => {
  const script = { plan: costs(0.6), implement: costs(0.1) };
  const runId = await bench.play(script, { template: "two", maxUsd: 0.5 });
  const gate = await bench.gate(runId);
  expect(gate.gate_key).toBe("recovery:budget_reached");
  expect(gate.payload.reason).toBe("it has spent $0.60 of $0.50");
  expect((await bench.snapshot(runId)).phases.map(({ state }) => state)).toEqual(["completed", "pending"]);
  await bench.decide(gate.id, "approve");
  const done = await bench.finish(runId);
  expect([done.run.state, done.run.budget_grants]).toEqual(["completed", 1]);
});

test("a second attempt needs a budget too", async () => {
  const script = { plan: [{ ...costs(0.6), scenario: "wrong_path" }, "ok"] };
  const runId = await bench.play(script, { template: "two", maxUsd: 0.5 });
  const gate = await bench.gate(runId);
  expect(gate.gate_key).toBe("recovery:budget_reached");
  expect(await bench.eventTypes(runId)).toContain("budget.reached");
  await bench.decide(gate.id, "reject");
  expect((await bench.finish(runId)).run.state).toBe("failed");
});

test("an agent that shows no sign of life is restarted and asked again", async () => {
  const runId = await bench.play({ plan: ["timeout", "ok"] }, { template: "two" });
  const done = await bench.finish(runId);
  expect(done.run.state).toBe("completed");
  const crashed = (await bench.events(runId)).find(({ type }) => type === "session.crashed");
  expect(crashed?.payload.how).toBe("went_silent");
});
