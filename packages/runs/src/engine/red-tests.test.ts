/** Failing tests, planted hooks and failing setup commands: what the engine detects itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { smallTemplate, workPhase } from "../../testing/small-templates.ts";

// Fails until the file exists, and prints why.
const check = `const { appendFileSync, existsSync, readFileSync } = require("node:fs");
if (existsSync("slow.txt")) {
  const file = readFileSync("slow.txt", "utf8").trim();
  process.on("SIGTERM", () => process.exit(1));
  appendFileSync(file, "started\\n");
  setInterval(() => existsSync(file + ".go") && process.exit(0), 20);
} else if (!existsSync("done.txt")) { console.error("RED: done.txt is missing"); process.exit(1); }`;
const bench: EngineBench = await openEngineBench({
  maxConcurrentRuns: 50,
  files: {
    "README.md": "# Demo\n",
    "check.cjs": check,
    ".devflow.json": JSON.stringify({ test: [[process.execPath, "check.cjs"]] }),
  },
});
afterAll(() => bench.close());
const testPhase = {
  key: "test",
  kind: "command" as const,
  title: "Tests",
  risk: "low" as const,
  command: { from: "test" as const },
  loop: { to: "implement", max: 2, while: "failed" as const },
};
const instructed = { ...workPhase, instructions: "Do it. The tests said:\n\n{{log:test}}" };
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("tested", [instructed, testPhase]));
  await bench.addTemplate(smallTemplate("shipped", [instructed, { ...testPhase, gates: ["auto:tests_pass"] }]));
});

const green = { scenario: "ok", files: { "done.txt": "done\n" } };
const red = (n: number) => ({ scenario: "ok", files: { "other.txt": `${n}\n` } });

describe("red tests", () => {
  test("go back to the coder with the end of the log, until they pass", async () => {
    const runId = await bench.play({ implement: [red(1), green] }, { template: "shipped" });
    const { run, phases } = await bench.finish(runId);
    expect(run.state).toBe("completed");
    expect(phases.map((one) => one.attempts)).toEqual([2, 2]);
    const [first, second] = await bench.prompts(runId);
    expect(first?.instructions).toContain("(it has not been run yet)");
    expect(second?.instructions).toContain("> RED: done.txt is missing");
    const types = await bench.eventTypes(runId);
    expect(types.filter((one) => one.startsWith("command."))).toEqual([
      "command.started",
      "command.failed",
      "command.started",
      "command.completed",
    ]);
  });

  test("a command that was told to end because the engine stopped says nothing about the work, and is run again", async () => {
    const starts = join(bench.context.home, "starts-of-one");
    const slow = { scenario: "ok", files: { "slow.txt": starts } };
    const runId = await bench.play({ implement: slow }, { template: "tested" });
    const lines = () => (existsSync(starts) ? readFileSync(starts, "utf8").split("\n").length - 1 : 0);
    await bench.until(runId, () => lines() === 1);
    // What does not concern the command leaves it alone.
    await bench.engine.say(runId, { text: "How is it?", clientToken: "1" }, bench.person);
    await bench.restart();
    await bench.until(runId, () => lines() === 2);
    await bench.engine.say(runId, { text: "And now?", clientToken: "2" }, bench.person);
    writeFileSync(`${starts}.go`, "");
    const { run, phases } = await bench.finish(runId);
    expect([run.state, phases.map((one) => one.attempts), lines()]).toEqual(["completed", [1, 1], 2]);
    expect(await bench.eventTypes(runId)).not.toContain("command.failed");
  });

  test("need a person when the rounds are used up, and their comment goes to the coder", async () => {
    const runId = await bench.play({ implement: [red(1), red(2), red(3), green] }, { template: "tested" });
    const gate = await bench.gate(runId);
    expect([gate.kind, gate.gate_key]).toEqual(["recovery", "recovery:command_failed"]);
    expect((await bench.snapshot(runId)).phases.map((one) => one.attempts)).toEqual([3, 3]);
    await bench.decide(gate.id, "request_changes", "Write done.txt");
    const { run, phases } = await bench.finish(runId);
    expect([run.state, phases.map((one) => one.attempts)]).toEqual(["completed", [4, 4]]);
    expect((await bench.prompts(runId)).at(-1)?.instructions).toContain("> Write done.txt");
  });

  test("are run again when a person approves at the gate", async () => {
    const runId = await bench.play({ implement: [red(1), red(2), red(3)] }, { template: "tested" });
    const gate = await bench.gate(runId);
    const { run } = await bench.snapshot(runId);
    writeFileSync(join(run.worktree_root, "done.txt"), "by hand\n");
    await bench.decide(gate.id, "approve");
    const done = await bench.finish(runId);
    expect([done.run.state, done.phases.map((one) => one.attempts)]).toEqual(["completed", [3, 4]]);
  });
});

test("a hook that appears in the shared .git while an agent works opens a gate that names it", async () => {
  const runId = await bench.play({ implement: [{ ...green, scenario: "permission" }, green] }, { template: "tested" });
  const allow = await bench.permission(runId);
  const hooks = join(bench.repository, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  writeFileSync(join(hooks, "pre-push"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(hooks, "pre-push"), 0o755);
  await allow();
  const gate = await bench.gate(runId);
  expect(gate.gate_key).toBe("recovery:git_state_changed");
  expect(String(gate.payload.reason)).toContain("pre-push");
  // The person has seen it and continues: the current state becomes the new baseline.
  await bench.decide(gate.id, "approve");
  expect((await bench.finish(runId)).run.state).toBe("completed");
});
