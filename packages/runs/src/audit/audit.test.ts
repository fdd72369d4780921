/** What agents did is looked at after each phase: fake agents that say what they run, in real transcripts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { validateArtifact } from "../artifacts/schema-registry.ts";
import { purgeRun } from "../care/purge-run.ts";
import { verifyRun } from "../reports/verify-run.ts";
import { runDetail } from "../views/index.ts";

const bench: EngineBench = await openEngineBench({
  maxConcurrentRuns: 50,
  timing: { phaseTimeoutMs: 1_500 },
  env: { SHOP_API_TOKEN: "sesame-4711-open-the-door" },
});
afterAll(() => bench.close());
beforeAll(async () => {
  const gated = (phase: typeof planPhase) => ({ ...phase, gates: ["ship_approved"] });
  await bench.addTemplate(smallTemplate("worked", [gated(workPhase)]));
  await bench.addTemplate(smallTemplate("planned", [planPhase, gated(workPhase)]));
});

const detail = async (runId: string) => {
  const claims = { sub: bench.person.userId ?? "", role: "authenticated" as const };
  const found = await runDetail({ database: bench.database, claims }, runId);
  if (!found) throw new Error("no run");
  return found;
};
const ran = (...commands: string[]) => ({ implement: { scenario: "ok", commands } });
const told = async (runId: string) =>
  (await detail(runId)).audit.map(({ severity, role, source, outcome, rule, detail: what }) =>
    [severity, role, source, outcome, rule, what].join(" | "),
  );

test("what an agent ran is a finding at its gate, on the page, in the log and in the report", async () => {
  const runId = await bench.play(ran("npm test", "rm -rf dist", "git push --force origin main"), {
    template: "worked",
  });
  const gate = await bench.gate(runId);
  expect(await told(runId)).toEqual([
    "high | coder | transcript | seen | git push --force | git push --force origin main",
    "low | coder | transcript | seen | rm -rf | rm -rf dist",
  ]);
  const shown = (await detail(runId)).approvals.find((one) => one.id === gate.id);
  expect(shown?.audit.map((one) => one.rule)).toEqual(["git push --force", "rm -rf"]);
  const asked = (await bench.events(runId)).find((one) => one.type === "approval.requested");
  expect(asked?.payload.audit).toBe(2);
  const { run } = await bench.finish(runId);
  const report = JSON.parse(readFileSync(run.final_report_path ?? "", "utf8"));
  expect(validateArtifact("common/final-report@4", report)).toEqual({ ok: true });
  expect(report.audit).toMatchObject([
    { rule: "git push --force", severity: "high", reason: "it overwrites what others may have pushed" },
    { rule: "rm -rf", severity: "low", phase: "implement", role: "coder" },
  ]);
  expect(report.unresolved).toContainEqual(
    expect.objectContaining({ kind: "audit", summary: "coder: git push --force origin main (git push --force)" }),
  );
  const words = readFileSync((run.final_report_path ?? "").replace(/json$/, "md"), "utf8");
  expect(words).toContain("## Audit\n");
  expect(words).toContain("| high | coder | `git push --force origin main` |");
  expect((await verifyRun(bench.context, runId)).ok).toBeTrue();
});

test("a run without such commands has no audit", async () => {
  const runId = await bench.play(ran("npm test", "rm a.txt"), { template: "worked" });
  const gate = await bench.gate(runId);
  expect([await told(runId), gate.payload.audit]).toEqual([[], undefined]);
  const { run } = await bench.finish(runId);
  expect(readFileSync((run.final_report_path ?? "").replace(/json$/, "md"), "utf8")).not.toContain("## Audit");
});

test("a finding of an earlier phase is told at the next gate, and only there", async () => {
  const script = { plan: { scenario: "ok", commands: ["git reset --hard"] }, ...ran() };
  const runId = await bench.play(script, { template: "planned" });
  const first = await bench.gate(runId);
  const at = async (id: string) => (await detail(runId)).approvals.find((one) => one.id === id)?.audit.length;
  expect(await at(first.id)).toBe(1);
  await bench.decide(first.id, "request_changes", "again");
  const second = await bench.gate(runId);
  expect([second.id !== first.id, await at(second.id)]).toEqual([true, 0]);
  await bench.finish(runId);
});

test("a permission is told with its answer, once", async () => {
  const script = { implement: { scenario: "permission", commands: ["rm -rf ../other"] } };
  const runId = await bench.play(script, { template: "worked" });
  await (await bench.permission(runId))();
  await bench.gate(runId);
  expect(await told(runId)).toEqual(["high | coder | permission | allowed | rm -rf | rm -rf ../other"]);
  await bench.finish(runId);
});

test("an attempt that brought no file counts too", async () => {
  const step = { scenario: "timeout", commands: ["git clean -fdx"] };
  const runId = await bench.play({ implement: step }, { template: "worked" });
  const { kind, id } = await bench.gate(runId);
  const shown = (await detail(runId)).approvals.find((one) => one.id === id);
  expect([kind, (shown?.audit.length ?? 0) > 0]).toEqual(["recovery", true]);
  await bench.engine.abortRun(runId, { reason: "enough" }, bench.person);
  await bench.finish(runId);
});

test("a changed hook of the shared .git is a finding", async () => {
  const runId = await bench.play({ implement: { scenario: "ok", delayMs: 700 } }, { template: "worked" });
  await bench.until(runId, ({ phases }) => phases[0]?.state === "awaiting_artifact");
  mkdirSync(join(bench.repository, ".git/hooks"), { recursive: true });
  appendFileSync(join(bench.repository, ".git/hooks/post-checkout"), "#!/bin/sh\n");
  const { gate_key: gate } = await bench.gate(runId);
  expect(gate).toBe("recovery:git_state_changed");
  expect(await told(runId)).toEqual(["high |  | git | seen | shared .git | hooks, hooks/post-checkout"]);
  await bench.finish(runId);
});

test("secrets in a command are not stored, and a purge removes the command", async () => {
  const runId = await bench.play(ran("rm -rf / # sesame-4711-open-the-door"), { template: "worked" });
  await bench.gate(runId);
  const [found] = (await detail(runId)).audit;
  expect(found?.detail).not.toContain("sesame");
  await bench.finish(runId);
  await purgeRun(bench.context, runId, bench.person);
  expect((await detail(runId)).audit).toMatchObject([{ rule: "rm -rf", detail: null }]);
});

test("after a restart nothing is found twice", async () => {
  const runId = await bench.play(ran("rm -rf ~"), { template: "worked" });
  await bench.gate(runId);
  await bench.restart();
  await bench.finish(runId);
  expect(await told(runId)).toEqual(["high | coder | transcript | seen | rm -rf | rm -rf ~"]);
});
