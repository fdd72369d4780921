/** Agents die; the run continues. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processIdentity } from "@devflow/core/process-proof";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, reviewPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import type { Snapshot } from "./snapshot.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 50 });
afterAll(() => bench.close());
beforeAll(async () => {
  const spec = { ...planPhase, key: "spec", expectedArtifact: { path: "first.json", schema: "dev/phase-plan@1" } };
  await bench.addTemplate(smallTemplate("twice", [spec, { ...planPhase, gates: ["plan_approved"] }, workPhase]));
  await bench.addTemplate(smallTemplate("plain", [planPhase]));
  await bench.addTemplate(smallTemplate("reviewed", [reviewPhase]));
});

const sessionOf = ({ sessions }: Snapshot, role: string) => sessions.find((one) => one.role_id === role);
const kill = ({ sessions }: Snapshot, role: string) => {
  const pid = sessions.find((one) => one.role_id === role)?.handle.pid;
  if (!pid) throw new Error(`${role} has no process`);
  process.kill(pid, "SIGKILL");
};
const journal = (runId: string, sessionId: string): string[] =>
  readFileSync(join(bench.context.workspaceRoot, runId, "sessions", sessionId, "journal.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).dedupKey);

describe("an agent that dies during its turn", () => {
  test("is restarted and asked once more", async () => {
    const runId = await bench.play({ plan: ["crash", "ok"] }, { template: "plain" });
    expect((await bench.finish(runId)).run.state).toBe("completed");
    const types = await bench.eventTypes(runId);
    expect(types).toContain("session.crashed");
    expect(types).toContain("session.recovered");
    expect(types.filter((one) => one === "prompt.sent")).toHaveLength(2);
  });

  test("is noticed even at the moment it accepts the prompt", async () => {
    const runs = await Promise.all(
      Array.from({ length: 24 }, () => bench.play({ plan: ["crash", "ok"] }, { template: "plain" })),
    );
    for (const runId of runs) {
      expect((await bench.finish(runId)).run.state).toBe("completed");
      expect((await bench.eventTypes(runId)).filter((one) => one === "prompt.sent")).toHaveLength(2);
    }
  });

  test("by kill -9 is restarted and asked once more", async () => {
    const runId = await bench.play({ plan: [{ scenario: "ok", delayMs: 60_000 }, "ok"] }, { template: "plain" });
    const before = await bench.until(runId, (one) => one.phases[0]?.state === "awaiting_artifact");
    kill(before, "architect");
    const after = await bench.finish(runId);
    expect(after.run.state).toBe("completed");
    expect(sessionOf(after, "architect")?.handle.pid).not.toBe(sessionOf(before, "architect")?.handle.pid as number);
    const keys = journal(runId, sessionOf(after, "architect")?.id ?? "");
    expect(new Set(keys).size).toBe(2);
    expect(keys).toHaveLength(2);
  });

  test("twice needs a person, and approving asks again", async () => {
    const runId = await bench.play({ plan: ["crash", "crash", "ok"] }, { template: "plain" });
    const gate = await bench.gate(runId);
    expect(gate.gate_key).toBe("recovery:session_crashed");
    await bench.decide(gate.id, "approve");
    expect((await bench.finish(runId)).run.state).toBe("completed");
  });

  test("after writing its file has done its work", async () => {
    const runId = await bench.play({ plan: "timeout" }, { template: "plain" });
    const now = await bench.until(runId, (one) => one.phases[0]?.state === "awaiting_artifact");
    await bench.engine.stop();
    const artifacts = join(bench.context.workspaceRoot, runId, "artifacts");
    // The agent makes it too, when its turn is over.
    mkdirSync(artifacts, { recursive: true });
    const plan = { summary: "s", steps: [{ id: "S1", title: "t", files: ["a"], verifies: ["A1"] }], risks: [] };
    writeFileSync(join(artifacts, "plan.json"), JSON.stringify(plan));
    kill(now, "architect");
    await bench.restart();
    expect((await bench.finish(runId)).phases[0]?.attempts).toBe(1);
  });

  test("does not disturb another one that keeps working", async () => {
    const slow = { scenario: "ok", delayMs: 700 };
    const runId = await bench.play(
      { "review/reviewer#0": ["crash", "ok"], "review/reviewer#1": slow },
      { template: "reviewed" },
    );
    const { run, sessions } = await bench.finish(runId);
    expect(run.state).toBe("completed");
    const other = sessions.find((one) => one.role_id === "reviewer#1");
    // Asked once: with two questions at the same time, it would be unclear which one the file answers.
    expect(journal(runId, other?.id ?? "")).toHaveLength(1);
    const asked = (await bench.events(runId)).filter((one) => one.type === "prompt.sent");
    expect(asked.map((one) => [one.payload.role, one.payload.attempt])).toEqual([
      ["reviewer#0", 1],
      ["reviewer#1", 1],
      ["reviewer#0", 2],
    ]);
  });
});

test("a phase that a person has tried again gets new processes, and no prompt twice", async () => {
  const runId = await bench.play({ plan: ["crash", "crash", { scenario: "ok", delayMs: 300 }] }, { template: "plain" });
  const gate = await bench.gate(runId);
  const asked = await bench.snapshot(runId);
  expect(sessionOf(asked, "architect")?.state).toBe("READY");
  await bench.decide(gate.id, "approve");
  await bench.until(runId, (one) => one.phases[0]?.state === "awaiting_artifact");
  const working = await bench.snapshot(runId);
  const [before, after] = [asked, working].map((one) => sessionOf(one, "architect")?.handle.pid as number);
  expect(after).not.toBe(before as number);
  // A process that has ended and that its parent was not told of yet has none either.
  expect(processIdentity(before as number)).toBeUndefined();
  expect((await bench.finish(runId)).run.state).toBe("completed");
  const keys = journal(runId, sessionOf(working, "architect")?.id ?? "");
  expect(keys).toEqual([...new Set(keys)]);
  expect((await bench.eventTypes(runId)).filter((one) => one === "session.ready")).toHaveLength(2);
});

test("an agent that is killed between two phases is restarted, and no attempt is lost", async () => {
  const runId = await bench.play({}, { template: "twice" });
  const gate = await bench.gate(runId);
  const asked = await bench.snapshot(runId);
  expect(sessionOf(asked, "architect")?.state).toBe("READY");
  kill(asked, "architect");
  await bench.decide(gate.id, "request_changes", "once more");
  const done = await bench.finish(runId);
  expect(done.run.state).toBe("completed");
  expect(done.phases.map((one) => one.attempts)).toEqual([1, 2, 1]);
  const types = await bench.eventTypes(runId);
  expect(types.filter((one) => one === "session.crashed" || one === "session.recovered")).toEqual([
    "session.crashed",
    "session.recovered",
  ]);
  expect(sessionOf(done, "architect")?.recovery_attempts).toBe(1);
});

test("agents keep working when a server stops, and the next server uses what they wrote", async () => {
  const runId = await bench.play({ plan: { scenario: "ok", delayMs: 1_000 } }, { template: "plain" });
  const before = await bench.until(runId, (one) => one.phases[0]?.state === "awaiting_artifact");
  await bench.engine.stop();
  const path = join(bench.context.workspaceRoot, runId, "artifacts", "plan.json");
  while (!existsSync(path)) await Bun.sleep(15);
  await bench.restart();
  const after = await bench.finish(runId);
  expect([after.run.state, after.phases[0]?.attempts]).toEqual(["completed", 1]);
  expect(sessionOf(after, "architect")?.handle.pid).toBe(sessionOf(before, "architect")?.handle.pid as number);
});
