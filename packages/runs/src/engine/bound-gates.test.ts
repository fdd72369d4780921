/** A gate means what it shows: an approval is bound to the work, and the log to the branch. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { verifyRun } from "../reports/verify-run.ts";

const bench: EngineBench = await openEngineBench({ maxConcurrentRuns: 8 });
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("ship", [{ ...workPhase, gates: ["ship_approved"] }]));
});

const worktreeOf = async (runId: string) => (await bench.snapshot(runId)).run.worktree_root;
const gitIn = (cwd: string, ...words: string[]) =>
  execFileSync("git", ["-c", "user.name=Eve", "-c", "user.email=eve@example.com", ...words], {
    cwd,
    encoding: "utf8",
  }).trim();
const check = async (runId: string, name: string) =>
  (await verifyRun(bench.context, runId)).checks.find((one) => one.name === name);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code: string; message: string }) => [error.code, error.message],
  );

async function atGate() {
  const runId = await bench.play({}, { template: "ship" });
  const gate = await bench.gate(runId);
  return { runId, gate, worktree: await worktreeOf(runId) };
}

describe("approving", () => {
  test("what the gate shows completes the run, and the branch matches the log", async () => {
    const { runId, gate, worktree } = await atGate();
    const tip = gitIn(worktree, "rev-parse", "HEAD");
    expect(gate.payload.shown).toMatchObject({ commit: tip, tree: gitIn(worktree, "rev-parse", "HEAD^{tree}") });
    await bench.decide(gate.id, "approve");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect(await check(runId, "branch")).toEqual({
      name: "branch",
      ok: true,
      detail: `ends at ${tip.slice(0, 10)}, as recorded`,
    });
  });

  test("a commit that was added meanwhile is refused; the gate shows it and asks again", async () => {
    const { runId, gate, worktree } = await atGate();
    writeFileSync(join(worktree, "planted.txt"), "surprise\n");
    gitIn(worktree, "add", "planted.txt");
    gitIn(worktree, "commit", "-qm", "Nobody asked for this");
    expect(await refusal(bench.decide(gate.id, "approve"))).toEqual([
      "gate_moved",
      "The work has changed since this gate showed it: planted.txt (added).",
    ]);
    const again = await bench.gate(runId);
    expect(again).toMatchObject({ id: gate.id, epoch: gate.epoch + 1, state: "pending" });
    expect(again.payload.added).toMatchObject({
      commits: [{ subject: "Nobody asked for this", author: "Eve" }],
      files: [{ path: "planted.txt", change: "added" }],
    });
    await bench.decide(gate.id, "approve");
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect((await check(runId, "branch"))?.ok).toBe(true);
  });

  test("an uncommitted change that was added meanwhile is refused too", async () => {
    const { gate, worktree } = await atGate();
    writeFileSync(join(worktree, "README.md"), "# Changed behind the gate\n");
    expect((await refusal(bench.decide(gate.id, "approve")))?.[1]).toContain("README.md (modified)");
  });

  test("with the token of a refused approval stays refused; so does a verdict on an earlier question", async () => {
    const { runId, gate, worktree } = await atGate();
    writeFileSync(join(worktree, "planted.txt"), "surprise\n");
    const input = { verdict: "approve", clientToken: uuidv7() } as const;
    const retry = () => refusal(bench.engine.decide(gate.id, input, bench.person));
    expect((await retry())?.[0]).toBe("gate_moved");
    expect((await retry())?.[0]).toBe("gate_moved");
    const old = { verdict: "approve", clientToken: uuidv7(), epoch: gate.epoch } as const;
    expect((await refusal(bench.engine.decide(gate.id, old, bench.person)))?.[0]).toBe("gate_moved");
    expect((await bench.snapshot(runId)).run.state).toBe("awaiting_approval");
  });
});

describe("the branch", () => {
  test("with a commit that the log does not know does not verify", async () => {
    const { runId, gate, worktree } = await atGate();
    await bench.decide(gate.id, "approve");
    await bench.finish(runId);
    gitIn(worktree, "commit", "-q", "--allow-empty", "-m", "On top");
    expect(await check(runId, "branch")).toMatchObject({ ok: false, detail: expect.stringContaining("has 1 more") });
  });

  test("names the head of the log before each commit, and a false name does not verify", async () => {
    const { runId, gate, worktree } = await atGate();
    const message = gitIn(worktree, "log", "-1", "--format=%B");
    const head = /Devflow-Chain: ([0-9a-f]{64})/.exec(message)?.[1] ?? "";
    const hashes = await bench.admin<{ hash: string }[]>`select hash from app.run_events where run_id = ${runId}`;
    expect(hashes.map(({ hash }) => hash)).toContain(head);
    gitIn(worktree, "commit", "-q", "--amend", "-m", message.replace(head, "0".repeat(64)));
    await refusal(bench.decide(gate.id, "approve"));
    await bench.decide(gate.id, "approve");
    await bench.finish(runId);
    expect(await check(runId, "branch")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("as the head of the log"),
    });
  });
});

describe("requesting changes where nobody can make them", () => {
  const report = { key: "report", kind: "report" as const, title: "Final report", risk: "low" as const, roles: [] };

  test("at the ship gate goes back to the work, with the comment, and everything after it is done again", async () => {
    const template = smallTemplate("reported", [workPhase, { ...report, gates: ["ship_approved"] }]);
    await bench.addTemplate(template);
    const runId = await bench.play({}, { template: "reported" });
    await bench.decide((await bench.gate(runId)).id, "request_changes", "Greet in Finnish too");
    const again = await bench.gate(runId);
    expect(again.gate_key).toBe("ship_approved");
    const prompts = await bench.prompts(runId);
    expect(prompts.map(({ phaseKey, attempt }) => [phaseKey, attempt])).toEqual([
      [workPhase.key, 1],
      [workPhase.key, 2],
    ]);
    expect(prompts[1]?.instructions).toContain("> Greet in Finnish too");
    expect((await bench.finish(runId)).run.state).toBe("completed");
  });

  test("at the gate of a command goes back to the work before it", async () => {
    const command = { key: "test", kind: "command" as const, title: "Tests", risk: "low" as const, roles: [] };
    const tested = { ...command, command: { argv: ["true"] }, gates: ["tests_pass"] };
    await bench.addTemplate(smallTemplate("tested", [workPhase, tested]));
    const runId = await bench.play({}, { template: "tested" });
    await bench.decide((await bench.gate(runId)).id, "request_changes", "Test the fallback");
    await bench.until(runId, (now) => now.approvals.filter((one) => one.gate_key === "tests_pass").length === 2);
    expect((await bench.prompts(runId))[1]?.instructions).toContain("> Test the fallback");
    expect((await bench.finish(runId)).run.state).toBe("completed");
  });
});

test("a hook that was planted while a gate was open is noticed before the next phase; trying again accepts it", async () => {
  await bench.addTemplate(smallTemplate("hooked", [{ ...planPhase, gates: ["plan_approved"] }, workPhase]));
  const runId = await bench.play({}, { template: "hooked" });
  const gate = await bench.gate(runId);
  const hook = join(bench.repository, ".git/hooks/post-commit");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  await bench.decide(gate.id, "approve");
  const asked = await bench.until(runId, (now) => now.approvals.some((one) => one.kind === "recovery"));
  const recovery = asked.approvals.find((one) => one.kind === "recovery");
  expect(recovery).toMatchObject({ gate_key: "recovery:git_state_changed", state: "pending" });
  expect(String(recovery?.payload.reason)).toContain("hooks/post-commit");
  await bench.decide(recovery?.id ?? "", "approve");
  expect((await bench.finish(runId)).run.state).toBe("completed");
  rmSync(hook);
});
