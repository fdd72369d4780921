/** Forks: another try from the middle of a run, with fake agents as real processes and a real repository. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { purgeRun } from "../care/purge-run.ts";
import { verifyRun } from "../reports/verify-run.ts";
import { visibleRun } from "../views/index.ts";
import { compareRuns } from "./compare-runs.ts";
import type { ForkInput } from "./fork-run.ts";

const bench: EngineBench = await openEngineBench({
  maxConcurrentRuns: 50,
  files: {
    "README.md": "# Demo\n",
    ".devflow.json": JSON.stringify({ test: [[process.execPath, "-e", "console.log('green')"]] }),
  },
});
afterAll(() => bench.close());

const finding = {
  severity: "high",
  category: "correctness",
  file: "greetings.json",
  line: 1,
  summary: "No French",
  evidence: "seen",
};
const batch = (findings: readonly unknown[]) => ({
  scenario: "ok",
  artifact: { reviewer: "r", summary: "Read.", findings },
});
/** The first review finds something; after the fix, nobody does. */
const reviewed = {
  review: [batch([finding]), batch([])],
  fix: { scenario: "ok", files: { "fixed.txt": "now\n" } },
};

const fork = (runId: string, input: Partial<ForkInput> & { at: string }) =>
  bench.engine.forkRun({ runId, clientToken: uuidv7(), ...input }, bench.person);
const failing = async (runId: string) => (await verifyRun(bench.context, runId)).checks.filter((one) => !one.ok);
const reader = () => ({
  database: bench.database,
  claims: { sub: bench.person.userId ?? "", role: "authenticated" as const },
});
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing",
    (error: Error) => error.message,
  );

test("a fork begins with the commit, the artifacts and the phases before, and asks only the later agents", async () => {
  const origin = await bench.play({});
  const ended = await bench.finish(origin);
  const { runId } = await fork(origin, { at: "test", instructions: undefined });
  const done = await bench.finish(runId);
  expect(done.run).toMatchObject({
    state: "completed",
    forked_from: origin,
    fork_phase: "test",
    base_commit: ended.run.base_commit,
  });
  expect([...new Set((await bench.prompts(runId)).map((one) => one.phaseKey))]).toEqual(["review", "verify"]);
  const commits = (await bench.events(origin)).filter((one) => one.type === "commit.created");
  expect(done.run.fork_commit).toBe(String(commits.at(0)?.payload.commit));
  const plan = (runId: string) => readFileSync(join(bench.context.workspaceRoot, runId, "artifacts/plan.json"), "utf8");
  expect(plan(runId)).toBe(plan(origin));
  // The work before the fork is in its worktree.
  expect(existsSync(join(done.run.worktree_root, "greetings.json"))).toBeTrue();
  expect(await failing(runId)).toEqual([]);
  expect(await failing(origin)).toEqual([]);
});

test("both logs tell of the fork, and only the fork's has the state", async () => {
  const origin = await bench.play({});
  await bench.finish(origin);
  const { runId } = await fork(origin, { at: "implement" });
  await bench.finish(runId);
  const told = async (id: string) => (await bench.events(id)).filter((one) => one.type === "run.forked");
  expect((await told(origin)).map((one) => one.payload)).toEqual([{ fork: runId, at: "implement" }]);
  const [began] = await told(runId);
  expect(began?.payload).toMatchObject({
    from: origin,
    at: "implement",
    commit: (await bench.snapshot(runId)).run.base_commit,
  });
  const carried = (began?.payload.phases ?? []) as { key: string }[];
  expect(carried.map((one) => one.key)).toEqual(["spec", "plan"]);
});

test("a fork of a run that still works leaves it alone", async () => {
  const origin = await bench.play({});
  const gate = await bench.gate(origin);
  const { runId } = await fork(origin, { at: "plan" });
  await bench.finish(runId);
  await bench.decide(gate.id, "approve");
  expect((await bench.finish(origin)).run.state).toBe("completed");
  expect(await failing(origin)).toEqual([]);
});

test("the phase gets other instructions, and the others keep theirs", async () => {
  const origin = await bench.play({});
  await bench.finish(origin);
  const instructions = "Greet in verse.\n{{artifact:plan}}";
  const { runId } = await fork(origin, { at: "implement", instructions });
  await bench.finish(runId);
  const prompts = await bench.prompts(runId);
  const first = prompts.find((one) => one.phaseKey === "implement");
  expect(first?.instructions).toStartWith("Greet in verse.\n- the file ");
  expect(first?.instructions).toContain(join(runId, "artifacts", "plan.json"));
  expect(prompts.find((one) => one.phaseKey === "review")?.instructions).not.toContain("Greet in verse.");
});

test("a role gets another persona, and the rest stay as they were", async () => {
  const origin = await bench.play({}, { overrides: { reviewer: { persona: "fake-reviewer-two@1" } } });
  await bench.finish(origin);
  const { runId } = await fork(origin, { at: "review", overrides: { "reviewer#0": { persona: "fake-reviewer@1" } } });
  await bench.finish(runId);
  const cast = async (id: string) =>
    Object.fromEntries(
      (await bench.snapshot(id)).bindings.map((one) => [one.role_id, (one.persona as { name: string }).name]),
    );
  expect(await cast(origin)).toMatchObject({ "reviewer#0": "fake-reviewer-two", "reviewer#1": "fake-reviewer-two" });
  expect(await cast(runId)).toEqual({ ...(await cast(origin)), "reviewer#0": "fake-reviewer" });
});

test("findings are as they were before the phase", async () => {
  const origin = await bench.play(reviewed);
  await bench.finish(origin);
  const found = (await bench.snapshot(origin)).findings;
  expect(found).toMatchObject([{ verifier_status: "confirmed", resolved: true }]);
  const { runId } = await fork(origin, { at: "verify" });
  const [began] = (await bench.snapshot(runId)).findings;
  expect(began).toMatchObject({ summary: "No French", verifier_status: "unverified", resolved: false });
  await bench.finish(runId);
  const after = await fork(origin, { at: "fix" });
  expect((await bench.snapshot(after.runId)).findings).toMatchObject([
    { verifier_status: "confirmed", resolved: false },
  ]);
  await bench.finish(after.runId);
});

test("the result of the tests counts in a fork after them", async () => {
  const origin = await bench.play({});
  await bench.finish(origin);
  const { runId } = await fork(origin, { at: "review" });
  const { commands } = await bench.finish(runId);
  expect(commands.map(({ kind, exit_code: code }) => [kind, code])).toEqual([["test", 0]]);
});

test("the same token is the same fork", async () => {
  const origin = await bench.play({});
  await bench.finish(origin);
  const input = { at: "implement", clientToken: "once" };
  const first = await fork(origin, input);
  expect(await fork(origin, input)).toMatchObject({ runId: first.runId, created: false });
  await bench.finish(first.runId);
});

test("a fork can be forked", async () => {
  const origin = await bench.play({});
  await bench.finish(origin);
  const { runId: first } = await fork(origin, { at: "review" });
  await bench.finish(first);
  const { runId: second } = await fork(first, { at: "review" });
  const done = await bench.finish(second);
  expect(done.run).toMatchObject({ state: "completed", forked_from: first });
  expect(await failing(second)).toEqual([]);
});

test("a comparison counts from the fork on", async () => {
  const slow = { usage: { inputTokens: 1000, outputTokens: 500, costUsd: 2 } };
  const origin = await bench.play({ implement: { scenario: "ok", ...slow } });
  await bench.finish(origin);
  const { runId } = await fork(origin, { at: "review", overrides: { coder: { model: "large" } } });
  await bench.finish(runId);
  const found = await compareRuns(bench.context, reader(), await visibleRun(reader(), runId));
  expect(found).toMatchObject({ at: "review", hasOwnInstructions: false, between: [] });
  expect(found.fork.bindings.find((one) => one.role === "coder")?.model).toBe("large");
  expect([found.origin.attempts, found.fork.attempts]).toEqual([3, 3]);
  expect([found.origin.tokens, found.fork.tokens]).toEqual([found.fork.tokens, found.fork.tokens]);
  expect(found.fork.diff).toEqual(found.origin.diff);
  const { runId: other } = await fork(origin, { at: "implement" });
  await bench.finish(other);
  const paid = await compareRuns(bench.context, reader(), await visibleRun(reader(), other));
  expect(paid.origin.usd).toBeGreaterThanOrEqual(2);
});

describe("a fork is refused", () => {
  test("at a phase that the run has not come to, with those that it has", async () => {
    const origin = await bench.play({});
    await bench.gate(origin);
    expect(await refused(fork(origin, { at: "review" }))).toContain("has not come to the phase review");
    expect(await refused(fork(origin, { at: "polish" }))).toContain("Phase polish of run");
    await bench.finish(origin);
  });

  test("with instructions that could not be in a template", async () => {
    const origin = await bench.play({});
    await bench.finish(origin);
    const problem = await refused(fork(origin, { at: "implement", instructions: "Read {{artifact:report}}" }));
    expect(problem).toContain('{{artifact:report}}: phase "report" comes later');
    expect(await refused(fork(origin, { at: "test", instructions: "Be quick" }))).toContain("the phase has no roles");
  });

  test("with an override that binds nobody", async () => {
    const origin = await bench.play({});
    await bench.finish(origin);
    const override = { coder: { persona: "nobody@1" } };
    expect(await refused(fork(origin, { at: "implement", overrides: override }))).toContain("no persona nobody@1");
    expect(await refused(fork(origin, { at: "plan", overrides: { typist: {} } }))).toContain('no role "typist"');
  });

  test("of a run that was purged", async () => {
    const origin = await bench.play({});
    await bench.finish(origin);
    await purgeRun(bench.context, origin, bench.person);
    expect(await refused(fork(origin, { at: "implement" }))).toContain("was purged");
  });
});
