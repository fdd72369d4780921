/** A lent file (`copy`) can be used by a run and appears nowhere; commits that an agent makes itself count. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { runDiff } from "../care/run-diff.ts";
import { visibleRun } from "../views/index.ts";

const secret = "correct-horse-battery";
/** Prints its secret, in two consecutive halves. */
const leak = `const text = require("node:fs").readFileSync(".env", "utf8");
process.stdout.write(text.slice(0, 12)); setTimeout(() => { process.stdout.write(text.slice(12)); console.error("seen: " + text); }, 50);`;
const bench: EngineBench = await openEngineBench({
  maxConcurrentRuns: 50,
  files: {
    "README.md": "# Demo\n",
    "leak.cjs": leak,
    ".devflow.json": JSON.stringify({
      copy: [".env"],
      setup: [["cat", ".env"]],
      test: [[process.execPath, "leak.cjs"]],
    }),
  },
});
afterAll(() => bench.close());
const testPhase = {
  key: "test",
  kind: "command" as const,
  title: "Tests",
  risk: "low" as const,
  command: { from: "test" as const },
};
beforeAll(async () => {
  writeFileSync(join(bench.repository, ".env"), `API_PASSWORD=${secret}\n`);
  await bench.addTemplate(smallTemplate("lent", [workPhase, testPhase]));
});

const files = { "done.txt": "done\n" };
const inWorktree = (worktree: string, ...words: string[]): string => {
  const identity = ["-c", "user.name=Agent", "-c", "user.email=agent@example.com"];
  const done = spawnSync("git", [...identity, ...words], { cwd: worktree, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}`);
  return done.stdout.trim();
};
const diffOf = async (runId: string) => {
  const claims = { sub: bench.person.userId ?? "", role: "authenticated" as const };
  return await runDiff(bench.context, await visibleRun({ database: bench.database, claims }, runId));
};

/** The agent waits for a permission; meanwhile the test may change its worktree. */
async function whileItWaits(runId: string, deed: (worktree: string) => void): Promise<void> {
  const allow = await bench.permission(runId);
  deed((await bench.snapshot(runId)).run.worktree_root);
  await allow();
}

describe("a copied .env", () => {
  test("can be used by commands, and is in no commit, diff or log", async () => {
    const runId = await bench.play({ implement: { scenario: "ok", files } }, { template: "lent" });
    const { run, commands } = await bench.finish(runId);
    expect([run.state, run.failure_reason]).toEqual(["completed", null]);
    expect(readFileSync(join(run.worktree_root, ".env"), "utf8")).toContain(secret);
    expect(inWorktree(run.worktree_root, "ls-tree", "-r", "--name-only", "HEAD").split("\n")).not.toContain(".env");
    const diff = await diffOf(runId);
    expect(diff.files.map((one) => one.path)).toEqual(["done.txt"]);
    expect(commands.map((one) => [one.kind, one.exit_code])).toEqual([
      ["setup", 0],
      ["test", 0],
    ]);
    const tested = commands.find((one) => one.kind === "test");
    const logs = [tested?.stdout_path, tested?.stderr_path].map((path) => readFileSync(path ?? "", "utf8"));
    expect(logs).toEqual(["API_PASSWORD=[redacted:known]\n", "seen: API_PASSWORD=[redacted:known]\n\n"]);
    const tails = await bench.admin`select string_agg(tail, '') as tail from app.commands where run_id = ${runId}`;
    expect(String(tails[0]?.tail)).not.toContain(secret);
    const report = JSON.parse(readFileSync(run.final_report_path ?? "", "utf8")) as { diff: { files: number } };
    expect(report.diff.files).toBe(1);
  });

  test("that an agent commits stops the run, and the reason says how to undo it", async () => {
    const runId = await bench.play({ implement: { scenario: "permission", files } }, { template: "lent" });
    await whileItWaits(runId, (worktree) => {
      inWorktree(worktree, "add", "--all", "--force");
      inWorktree(worktree, "commit", "--quiet", "-m", "All of it");
    });
    const gate = await bench.gate(runId);
    expect(gate.gate_key).toBe("recovery:lent_file_committed");
    expect(String(gate.payload.reason)).toContain("the agent committed .env");
    const { run } = await bench.snapshot(runId);
    const [, undo = ""] = /reset --soft (\w+)/.exec(String(gate.payload.reason)) ?? [];
    inWorktree(run.worktree_root, "reset", "--quiet", "--soft", undo);
    await bench.decide(gate.id, "approve");
    await whileItWaits(runId, () => {});
    expect((await bench.finish(runId)).run.state).toBe("completed");
    expect(inWorktree(run.worktree_root, "log", "--format=%s", "--", ".env")).toBe("");
    expect((await diffOf(runId)).files.map((one) => one.path)).not.toContain(".env");
  });
});

test("work that an agent committed itself counts, even when nothing else is left to commit", async () => {
  const runId = await bench.play({ implement: { scenario: "permission", files: {} } }, { template: "lent" });
  let own = "";
  await whileItWaits(runId, (worktree) => {
    writeFileSync(join(worktree, "own.txt"), "mine\n");
    inWorktree(worktree, "add", "own.txt");
    inWorktree(worktree, "commit", "--quiet", "-m", "By myself");
    own = inWorktree(worktree, "rev-parse", "HEAD");
  });
  const { run, phases } = await bench.finish(runId);
  expect([run.state, phases[0]?.attempts]).toEqual(["completed", 1]);
  const made = (await bench.events(runId)).find((one) => one.type === "commit.created");
  expect(made?.payload.commit).toBe(own);
});
