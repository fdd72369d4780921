/** Findings: merged, verified, fixed in a bounded loop, or left to a person. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { reviewPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { composeReport } from "../reports/compose-report.ts";
import { renderReport } from "../reports/render-report.ts";
import { verifyRun } from "../reports/verify-run.ts";
import type { Snapshot } from "./snapshot.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 50 });
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(
    smallTemplate("reviewed", [
      workPhase,
      reviewPhase,
      {
        key: "verify",
        kind: "verify",
        title: "Verify",
        risk: "low",
        roles: ["verifier"],
        when: "findings",
        expectedArtifact: { path: "verification.json", schema: "dev/verification@1" },
        instructions: "Judge:\n\n{{findings}}",
      },
      {
        key: "fix",
        kind: "work",
        title: "Fix",
        risk: "low",
        roles: ["coder"],
        when: "blocking_findings",
        loop: { to: "review", max: 2, while: "blocking_findings" },
        expectedArtifact: { path: "fix.json", schema: "dev/fix-report@1" },
        instructions: "Fix:\n\n{{findings}}",
      },
    ]),
  );
});

const finding = (summary: string, severity = "high") => ({
  severity,
  category: "correctness",
  file: "greetings.json",
  line: 1,
  summary,
  evidence: "seen",
});
const batch = (...findings: unknown[]) => ({
  scenario: "ok",
  artifact: { reviewer: "r", summary: "Read.", findings },
});
const play = (script: Record<string, unknown>) => bench.play(script, { template: "reviewed" });
const attempts = ({ phases }: Snapshot) => Object.fromEntries(phases.map((one) => [one.phase_key, one.attempts]));
/** Every fix writes different bytes, so that there is something to commit. */
const fixes = [1, 2, 3, 4].map((n) => ({ scenario: "ok", files: { "fixed.txt": `${n}\n` } }));

test("without findings, verification and fixing are skipped", async () => {
  const done = await bench.finish(await play({ review: batch() }));
  expect(done.phases.map((one) => one.state)).toEqual(["completed", "completed", "skipped", "skipped"]);
  expect(done.phases[2]?.reason).toBe("no findings");
});

test("the same finding from two reviewers is one finding with both names", async () => {
  const done = await bench.finish(await play({ review: batch(finding("Wrong greeting", "low")) }));
  expect(done.findings.map((one) => [one.reviewer_role, one.also_by, one.verifier_status])).toEqual([
    ["reviewer#0", ["reviewer#1"], "confirmed"],
  ]);
  expect(done.phases[3]?.state).toBe("skipped");
  const batches = (await bench.eventTypes(done.run.id)).filter((one) => one === "review.batch_recorded");
  expect(batches).toHaveLength(2);
});

test("a confirmed serious finding is fixed, reviewed again, and resolved", async () => {
  const grave = batch(finding("Crashes without a name"));
  const done = await bench.finish(
    await play({ "review/reviewer#0": [grave, batch()], "review/reviewer#1": batch(), fix: fixes }),
  );
  expect(done.run.state).toBe("completed");
  expect(attempts(done)).toEqual({ implement: 1, review: 2, verify: 1, fix: 1 });
  expect(done.findings.map((one) => one.resolved)).toEqual([true]);
  const fix = (await bench.prompts(done.run.id)).find((one) => one.phaseKey === "fix");
  expect(fix?.instructions).toContain("Crashes without a name (confirmed)");
});

test("one that remains after every round needs a person; approving gives the loop a new budget", async () => {
  const grave = batch(finding("Crashes without a name"));
  const runId = await play({
    "review/reviewer#0": [grave, grave, grave, batch()],
    "review/reviewer#1": batch(),
    fix: fixes,
  });
  const gate = await bench.gate(runId);
  expect(gate.gate_key).toBe("recovery:review_dispute_unresolved");
  expect(attempts(await bench.snapshot(runId))).toEqual({ implement: 1, review: 3, verify: 3, fix: 2 });
  await bench.decide(gate.id, "approve");
  const done = await bench.finish(runId);
  expect([done.run.state, attempts(done).fix]).toEqual(["completed", 3]);
});

test("a person can let the finding stand, with a reason that the report keeps", async () => {
  const { person } = bench;
  const grave = batch(finding("Crashes without a name"), finding("Forgets the time zone"));
  const runId = await play({ "review/reviewer#0": grave, "review/reviewer#1": batch(), fix: fixes });
  const gate = await bench.gate(runId);
  const [first, second] = (await bench.snapshot(runId)).findings;
  const waive = (id: string | undefined, reason: string) =>
    bench.engine.waiveFinding({ runId, findingId: id ?? "", reason }, person);
  await waive(first?.id, "Names are required since 2.0.");
  await waive(first?.id, "Names are required since 2.0.");
  await expect(waive(first?.id, "Another reason")).rejects.toThrow("waived already by");
  await expect(waive(crypto.randomUUID(), "Unknown")).rejects.toThrow("was not found");
  const agent = { ...person, kind: "agent" as const };
  await expect(
    bench.engine.waiveFinding({ runId, findingId: second?.id ?? "", reason: "Trust me." }, agent),
  ).rejects.toThrow("Only a person can decide");
  await waive(second?.id, "Reported upstream.");
  await bench.decide(gate.id, "approve");
  const done = await bench.finish(runId);
  expect([done.run.state, attempts(done).fix]).toEqual(["completed", 2]);
  expect((await bench.eventTypes(runId)).filter((one) => one === "finding.waived")).toHaveLength(2);
  const report = await composeReport(bench.context, runId);
  expect(report.findings.map(({ waiver }) => (waiver as { reason: string }).reason)).toEqual([
    "Names are required since 2.0.",
    "Reported upstream.",
  ]);
  expect(report.unresolved).toEqual([]);
  expect(renderReport(report)).toContain(": Reported upstream. |");
  expect((await verifyRun(bench.context, runId)).ok).toBe(true);
  await expect(waive(second?.id, "Too late.")).rejects.toThrow("completed");
});

describe("a dispute", () => {
  const rejecting = (reason: string) => ({ scenario: "ok", verdict: "rejected", reason });
  test("between two reviewers and the verifier asks a person", async () => {
    const grave = batch(finding("Loses data", "critical"));
    const runId = await play({ review: grave, verify: { scenario: "timeout" } });
    const now = await bench.until(runId, (one) => one.phases[2]?.state === "awaiting_artifact");
    const { writeFileSync } = await import("node:fs");
    const { join } = await import("node:path");
    const verdicts = now.findings.map((one) => ({
      finding: one.id,
      status: "rejected",
      reason: rejecting("no").reason,
    }));
    writeFileSync(
      join(bench.context.workspaceRoot, runId, "artifacts", "verification.json"),
      JSON.stringify({ summary: "Refuted.", verdicts }),
    );
    const gate = await bench.gate(runId);
    expect([gate.kind, gate.gate_key]).toEqual(["gate", "review_dispute"]);
    await bench.decide(gate.id, "approve");
    const done = await bench.finish(runId);
    expect([done.run.state, done.findings[0]?.verifier_status]).toEqual(["completed", "rejected"]);
  });
});
