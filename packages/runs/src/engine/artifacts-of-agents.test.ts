/** Anything an agent writes instead of its file is repaired once, then a person is asked. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 50 });
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("plain", [planPhase]));
  await bench.addTemplate(smallTemplate("gated", [{ ...planPhase, gates: ["plan_approved"] }]));
  await bench.addTemplate(smallTemplate("short", [{ ...planPhase, timeoutMs: 4_000 }]));
  await bench.addTemplate(smallTemplate("work", [workPhase]));
});

const play = (plan: unknown, template = "plain") => bench.play({ plan, implement: plan }, { template });
const recoveryOf = async (runId: string) => {
  const gate = await bench.gate(runId);
  expect(gate.kind).toBe("recovery");
  expect((await bench.snapshot(runId)).run.state).toBe("paused");
  return gate;
};
const started = async (runId: string) =>
  (await bench.events(runId)).filter((one) => one.type === "phase.started").map((one) => one.payload.repair);

describe("an invalid file", () => {
  test("is repaired once, with its errors in the prompt", async () => {
    const runId = await play(["invalid", "ok"]);
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect(await started(runId)).toEqual([false, true]);
    const types = await bench.eventTypes(runId);
    expect(types.filter((one) => one.startsWith("prompt."))).toEqual(["prompt.sent", "prompt.repaired"]);
    const [, repair] = await bench.prompts(runId);
    expect(repair?.instructions).toContain("Your last file was refused");
    expect(repair?.instructions).toMatch(/> - \(file\): member "summary" is missing/);
  });

  test("in answer to a person's comment is repaired without losing the comment", async () => {
    const runId = await play(["ok", "invalid", "ok"], "gated");
    await bench.decide((await bench.gate(runId)).id, "request_changes", "Shorter, please");
    await bench.finish(runId);
    const repair = (await bench.prompts(runId)).at(-1);
    expect(repair?.attempt).toBe(3);
    expect(repair?.instructions).toContain("Your last file was refused");
    expect(repair?.instructions).toContain("> Shorter, please");
  });

  test("twice needs a person; approving begins a new series", async () => {
    const runId = await play(["invalid", "invalid", "invalid", "ok"]);
    const gate = await recoveryOf(runId);
    expect(gate.gate_key).toBe("recovery:artifact_invalid_after_repair");
    expect(String(gate.payload.reason)).toContain("summary");
    await bench.decide(gate.id, "approve");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect(await started(runId)).toEqual([false, true, false, true]);
  });

  test("twice, then a person's comment: it is in the next prompt", async () => {
    const runId = await play(["invalid", "invalid", "ok"]);
    await bench.decide((await recoveryOf(runId)).id, "request_changes", "Use the schema");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect((await bench.prompts(runId)).at(-1)?.instructions).toContain("> Use the schema");
  });

  test("twice and rejected fails the run", async () => {
    const runId = await play("invalid");
    const gate = await recoveryOf(runId);
    const { engine, person } = bench;
    expect(engine.resumeRun(runId, { clientToken: "r" }, person)).rejects.toMatchObject({ code: "illegal_transition" });
    await bench.decide(gate.id, "reject");
    expect((await bench.finish(runId)).run.state).toBe("failed");
  });
});

describe("no file in time", () => {
  test("is requested once more", async () => {
    const runId = await play(["timeout", "ok"], "short");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect(await started(runId)).toEqual([false, false]);
    expect(await bench.eventTypes(runId)).toContain("artifact.timeout");
  });

  test("twice needs a person", async () => {
    const runId = await play(["timeout", "timeout", "ok"], "short");
    const gate = await recoveryOf(runId);
    expect(gate.gate_key).toBe("recovery:artifact_timeout_exhausted");
    await bench.decide(gate.id, "approve");
    expect((await bench.finish(runId)).run.state).toBe("completed");
  });

  test("a late answer to the first question does not count for the second", async () => {
    const answer = (summary: string) => ({
      summary,
      steps: [{ id: "S1", title: "One", files: ["a"], verifies: ["A1"] }],
      risks: [],
    });
    const runId = await play(
      [
        { scenario: "ok", delayMs: 4_600, artifact: answer("late") },
        { scenario: "ok", delayMs: 1_500, artifact: answer("asked") },
      ],
      "short",
    );
    await bench.finish(runId);
    const path = join(bench.context.workspaceRoot, runId, "artifacts", "plan.json");
    expect(JSON.parse(readFileSync(path, "utf8")).summary).toBe("asked");
  });
});

test("a file written in two parts is validated when it is complete", async () => {
  const runId = await play("partial");
  expect((await bench.finish(runId)).run.state).toBe("completed");
  expect(await started(runId)).toEqual([false]);
});

test("a file at another path does not count", async () => {
  const runId = await play(["wrong_path", "ok"]);
  expect((await bench.finish(runId)).run.state).toBe("completed");
  expect(await bench.eventTypes(runId)).toContain("artifact.missing");
});

test.each([
  ["symlink", /link/],
  ["directory", /directory|folder/],
  ["binary", /binary|text/],
  ["not_utf8", /UTF-8/],
])("%s instead of a file is reported, and repaired", async (scenario, name) => {
  const runId = await play([scenario, "ok"]);
  expect((await bench.finish(runId)).run.state).toBe("completed");
  const invalid = (await bench.events(runId)).find((one) => one.type === "artifact.invalid");
  expect(JSON.stringify(invalid?.payload.errors)).toMatch(name);
  expect(await started(runId)).toEqual([false, true]);
});

test("a file of 2 GB is refused unread", async () => {
  const runId = await play(["huge", "ok"]);
  expect((await bench.finish(runId)).run.state).toBe("completed");
  const invalid = (await bench.events(runId)).find((one) => one.type === "artifact.invalid");
  expect(JSON.stringify(invalid?.payload.errors)).toMatch(/MB|large|bytes/);
});

describe("work that changes nothing", () => {
  test("is accepted when the report says so", async () => {
    const runId = await play("no_change", "work");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect(await bench.eventTypes(runId)).not.toContain("commit.created");
  });

  test("needs a person when the report claims a change", async () => {
    const runId = await play({ scenario: "ok", files: {} }, "work");
    const gate = await recoveryOf(runId);
    expect(gate.gate_key).toBe("recovery:nothing_changed");
    await bench.decide(gate.id, "reject");
    await bench.finish(runId);
  });
});
