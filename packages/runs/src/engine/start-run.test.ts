/** Starting runs: once per token, one at a time if the template requires it, queued when the machine is full. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate } from "../../testing/small-templates.ts";
import { validateArtifact } from "../artifacts/schema-registry.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 2 });
afterAll(() => bench.close());
beforeAll(async () => {
  const gated = { ...planPhase, gates: ["plan_approved"] };
  await bench.addTemplate(smallTemplate("gated", [gated]));
  await bench.addTemplate(smallTemplate("alone", [gated], { exclusive: true }));
  await bench.addTemplate(
    smallTemplate("nobody", [{ ...planPhase, roles: ["architect"] }], {
      roles: [{ id: "architect", requiredCapabilities: ["phase_planning"], preferredBackends: ["claude"] }],
    }),
  );
});
const abort = async (runId: string) => {
  await bench.engine.abortRun(runId, { reason: "the test is over" }, bench.person);
  await bench.finish(runId);
};
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: "ok" }),
    (error: { code: string; details: unknown }) => ({ code: error.code, details: error.details }),
  );

test("the same token is the same run, even concurrently", async () => {
  const clientToken = uuidv7();
  const [one, two] = await Promise.all([1, 2].map(() => bench.start({ template: "gated", clientToken })));
  const three = await bench.start({ template: "gated", clientToken });
  expect(new Set([one?.runId, two?.runId, three.runId]).size).toBe(1);
  expect([one, two, three].filter((each) => each?.created)).toHaveLength(1);
  const types = await bench.eventTypes(three.runId);
  expect(types.filter((type) => type === "run.created")).toHaveLength(1);
  await abort(three.runId);
});

test("a second run on the same base is allowed and reported", async () => {
  const first = await bench.start({ template: "gated" });
  const second = await bench.start({ template: "gated" });
  expect([first.overlaps, second.overlaps]).toEqual([[], [first.runId]]);
  await abort(first.runId);
  await abort(second.runId);
});

test("an exclusive template refuses a second run and names the first", async () => {
  const { runId } = await bench.start({ template: "alone" });
  await bench.gate(runId);
  expect(await refusal(bench.start({ template: "alone" }))).toEqual({
    code: "run_active",
    details: { run: runId.slice(-8), currentRunId: runId, currentState: "awaiting_approval" },
  });
  await abort(runId);
  const again = await bench.start({ template: "alone" });
  expect(again.created).toBe(true);
  await abort(again.runId);
});

describe("when the machine is full", () => {
  test("a start is refused with the runs at work; a queued one begins when a slot is free", async () => {
    const busy = { template: "gated", extra: { fake: { delayMs: 600_000 } } };
    const first = await bench.start(busy);
    const second = await bench.start(busy);
    expect(await refusal(bench.start({ template: "gated" }))).toMatchObject({
      code: "too_many_runs",
      details: { count: 2, limit: 2 },
    });
    const waiting = await bench.start({ template: "gated", queue: true });
    expect(waiting.queued).toBe(true);
    await Bun.sleep(200);
    expect((await bench.snapshot(waiting.runId)).run.state).toBe("created");
    await abort(first.runId);
    expect((await bench.finish(waiting.runId)).run.state).toBe("completed");
    expect(await bench.eventTypes(waiting.runId)).toContain("run.queued");
    await abort(second.runId);
  });

  test("a run at a gate holds no slot; once approved it is next, ahead of new starts", async () => {
    const busy = { template: "gated", extra: { fake: { delayMs: 600_000 } } };
    const asking = await bench.start({ template: "gated" });
    const gate = await bench.gate(asking.runId);
    const working = [await bench.start(busy), await bench.start(busy)];
    const later = await bench.start({ template: "gated", queue: true });
    expect(later.queued).toBe(true);
    await bench.decide(gate.id, "request_changes", "Again, please");
    await Bun.sleep(200);
    const queued = await bench.snapshot(asking.runId);
    expect([queued.run.queued, queued.phases[0]?.attempts]).toEqual([true, 2]);
    expect(queued.prompts.filter((one) => one.attempt === 2)).toEqual([]);
    await abort(working[0]!.runId);
    const next = await bench.until(asking.runId, ({ run }) => !run.queued);
    expect(next.run.state).not.toBe("aborted");
    expect((await bench.finish(asking.runId)).run.state).toBe("completed");
    expect((await bench.finish(later.runId)).run.state).toBe("completed");
    await abort(working[1]!.runId);
  });

  test("the last approval needs no slot: nothing is left to do", async () => {
    const busy = { template: "gated", extra: { fake: { delayMs: 600_000 } } };
    const asking = await bench.start({ template: "gated" });
    const gate = await bench.gate(asking.runId);
    const working = [await bench.start(busy), await bench.start(busy)];
    await bench.decide(gate.id, "approve");
    expect((await bench.finish(asking.runId)).run.state).toBe("completed");
    for (const { runId } of working) await abort(runId);
  });

  test("a queued run survives a restart, and an aborted queued run is closed", async () => {
    const busy = { template: "gated", extra: { fake: { delayMs: 600_000 } } };
    const running = [await bench.start(busy), await bench.start(busy)];
    const waiting = await bench.start({ template: "gated", queue: true });
    const given = await bench.start({ template: "gated", queue: true });
    await bench.engine.abortRun(given.runId, { reason: "not needed" }, bench.person);
    expect((await bench.finish(given.runId)).run.state).toBe("aborted");
    await bench.restart();
    expect((await bench.snapshot(waiting.runId)).run.queued).toBe(true);
    for (const { runId } of running) await abort(runId);
    expect((await bench.finish(waiting.runId)).run.state).toBe("completed");
  });
});

test("a role that no persona can play fails the run before anything is changed, with a report", async () => {
  const { runId } = await bench.start({ template: "nobody" });
  const { run, phases } = await bench.finish(runId);
  expect(run.state).toBe("failed");
  expect(run.failure_reason).toContain("backend_unavailable");
  expect(phases.map((one) => one.state)).toEqual(["skipped"]);
  expect(await bench.eventTypes(runId)).toEqual(["run.created", "phase.skipped", "run.failed", "report.written"]);
  const report = JSON.parse(readFileSync(run.final_report_path ?? "", "utf8"));
  expect(validateArtifact("common/final-report@4", report)).toEqual({ ok: true });
});

test("an unknown template is refused with the list of known ones", async () => {
  const refused = await refusal(bench.start({ template: "nothing@9" }));
  expect(refused.code).toBe("not_found");
});

test("a preview shows the bindings and writes nothing", async () => {
  const count = async () => (await bench.admin`select count(*)::int as n from app.runs`)[0]?.n;
  const before = await count();
  const input = {
    teamId: bench.teamId,
    template: "development-fake@1",
    repository: bench.repository,
    requirements: "x",
    clientToken: uuidv7(),
  };
  const preview = await bench.engine.previewRun(input);
  expect(preview.ok && preview.bindings.map((one) => one.instance)).toEqual([
    "architect",
    "coder",
    "reviewer#0",
    "reviewer#1",
    "verifier",
  ]);
  expect(await count()).toBe(before);
});
