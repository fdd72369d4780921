/** Runs with lanes, from the task graph to the merged branch, with fake agents and a real repository. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { git } from "@devflow/git";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { cleanUpRun } from "../care/clean-up-run.ts";
import { verifyRun } from "../reports/verify-run.ts";

const bench = await openEngineBench({
  maxConcurrentRuns: 3,
  files: {
    "README.md": "# Demo\n",
    "src/index.ts": 'import "a";\n\nrun();\n',
    "src/old.ts": "one\ntwo\nthree\nfour\n",
  },
});
afterAll(() => bench.close());

/** The fake agent finds the files of its lane in what it is asked for. */
const workOnTask = { ...workPhase, instructions: "{{requirements}}" };
const cut = { ...planPhase, expectedArtifact: { path: "tasks.json", schema: "dev/dag@2" } } as const;
const lanes = {
  key: "lanes",
  kind: "lanes",
  title: "Lanes",
  risk: "low",
  lanes: { from: "plan", template: "small-lane@1" },
} as const;
await bench.addTemplate(smallTemplate("small-lane", [workOnTask]));
const template = await bench.addTemplate(smallTemplate("small-lanes", [cut, lanes]));
/** Lanes with a second look at their own work. */
const polish = {
  ...workOnTask,
  key: "polish",
  expectedArtifact: { path: "polish.json", schema: "dev/change-report@1" },
};
await bench.addTemplate(smallTemplate("polished-lane", [workOnTask, polish]));
const polished = await bench.addTemplate(
  smallTemplate("polished-lanes", [cut, { ...lanes, lanes: { from: "plan", template: "polished-lane@1" } }]),
);

interface Task {
  readonly id: string;
  readonly dependsOn?: readonly string[];
  readonly writeSet?: readonly string[];
}

const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const graph = (tasks: readonly Task[]) => ({
  usage: nothing,
  artifact: { tasks: tasks.map((one) => ({ title: one.id, dependsOn: [], writeSet: [`${one.id}.txt`], ...one })) },
});

/** A run with these tasks; what its lanes do, by task, and a list has one script per try. */
async function start(tasks: readonly Task[], ofLanes: Record<string, unknown> = {}, input = {}): Promise<string> {
  const fake = { script: { plan: graph(tasks) }, delayMs: 2, lanes: ofLanes };
  const { runId } = await bench.start({ template, extra: { fake }, ...input });
  return runId;
}

const writes = (files: Record<string, unknown>) => ({ implement: { files } });
const states = (run: Awaited<ReturnType<typeof bench.snapshot>>) =>
  Object.fromEntries(run.tasks.map((one) => [one.task_id, one.state]));

const blob = async (runId: string, path: string): Promise<string> => {
  const { branch } = (await bench.snapshot(runId)).run;
  return (await git(["cat-file", "blob", `${branch}:${path}`], { cwd: bench.repository })).stdout;
};
/** The lane of a task's try, as soon as there is one. */
async function laneOf(runId: string, task: string, tries = 1): Promise<string> {
  const isThere = (one: { task_id: string; tries: number }) => one.task_id === task && one.tries >= tries;
  const { tasks } = await bench.until(runId, (now) => now.tasks.some(isThere));
  return tasks.find(isThere)?.lane_run_id ?? "";
}
/** The next question, which must be this one. */
async function asked(runId: string, gate: string) {
  const found = await bench.gate(runId);
  expect(found.gate_key).toBe(gate);
  return found;
}
const choose = (id: string, choice: string, comment?: string) =>
  bench.engine.decide(id, { verdict: "approve", clientToken: `${id}:${choice}`, choice, comment }, bench.person);

describe("a run with lanes", () => {
  test("the shipped template: tasks side by side, merged, integrated, reviewed; the base branch is not touched", async () => {
    const before = (await git(["rev-parse", "main"], { cwd: bench.repository })).stdout;
    const { runId } = await bench.start({ template: "development-parallel-fake@1" });
    const done = await bench.finish(runId);
    expect(done.run.state).toBe("completed");
    expect(done.tasks.map(({ task_id, state }) => `${task_id} ${state}`)).toEqual([
      "german done",
      "french done",
      "list done",
    ]);
    expect(done.tasks[2]?.merge_order).toBe(3);
    expect(await blob(runId, "greetings/de.json")).toBe("attempt 1\n");
    expect(await blob(runId, "languages.md")).toBe("attempt 1\n");
    expect((await git(["rev-parse", "main"], { cwd: bench.repository })).stdout).toBe(before);
    // A lane began with what it depends on.
    const list = await bench.snapshot(done.tasks[2]?.lane_run_id ?? "");
    expect(list.run).toMatchObject({ lane_id: "list", parent_run_id: runId, root_run_id: runId, state: "completed" });
    const base = await git(["ls-tree", "-r", "--name-only", list.run.lane_base ?? ""], { cwd: bench.repository });
    expect(base.stdout.split("\n")).toEqual(expect.arrayContaining(["greetings/de.json", "greetings/fr.json"]));
    const { ok, checks } = await verifyRun(bench.context, runId);
    expect({ ok, bad: checks.filter((one) => !one.ok) }).toEqual({ ok: true, bad: [] });
    expect(checks.map((one) => one.name)).toEqual(
      expect.arrayContaining(["lane german", "lane french", "lane list", "branch"]),
    );
  });

  test("one task, and an empty lane, which is done without a merge", async () => {
    const done = await bench.finish(await start([{ id: "only" }], { only: { implement: "no_change" } }));
    expect(done.run.state).toBe("completed");
    expect(done.tasks[0]).toMatchObject({ state: "done", merge_commit: null, reason: "it changed nothing" });
    expect(await bench.eventTypes(done.run.id)).not.toContain("merge.completed");
  });

  test("a graph that is not valid goes back to its author, with the errors", async () => {
    const script = {
      plan: [
        graph([
          { id: "a", dependsOn: ["b"] },
          { id: "b", dependsOn: ["a", "x"] },
        ]),
        graph([{ id: "a" }]),
      ],
    };
    const { runId } = await bench.start({ template, extra: { fake: { script, delayMs: 2 } } });
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ a: "done" });
    const invalid = (await bench.events(runId)).find((one) => one.type === "artifact.invalid");
    expect(invalid?.payload.errors).toEqual([{ path: "tasks[1].dependsOn[1]", message: 'there is no task "x"' }]);
  });

  test("more lanes than places wait in line, and the parent holds no place", async () => {
    const done = await bench.finish(await start(["a", "b", "c", "d", "e", "f"].map((id) => ({ id }))));
    expect(Object.values(states(done))).toEqual(Array(6).fill("done"));
  });
});

describe("write sets", () => {
  test("tasks that could write the same file are serialised by the person's choice", async () => {
    const runId = await start([
      { id: "a", writeSet: ["src/*.ts"] },
      { id: "b", writeSet: ["src/index.ts", "b.txt"] },
    ]);
    const gate = await asked(runId, "parallel_dag_approved");
    expect(gate.payload).toMatchObject({
      reason: "two tasks could change the same files",
      detail: "a and b: src/*.ts and src/index.ts, for example src/index.ts",
      choices: [{ id: "serialise" }, { id: "parallel" }],
    });
    expect(states(await bench.snapshot(runId))).toEqual({ a: "waiting", b: "waiting" });
    await choose(gate.id, "serialise");
    const done = await bench.finish(runId);
    expect(done.tasks.map((one) => one.depends_on)).toEqual([[], ["a"]]);
    expect(states(done)).toEqual({ a: "done", b: "done" });
    const resolved = (await bench.events(runId)).find((one) => one.type === "approval.resolved");
    expect(resolved?.payload).toMatchObject({ verdict: "approve", choice: "serialise" });
  });

  test("requesting changes there has the work cut again", async () => {
    const two = [
      { id: "a", writeSet: ["x"] },
      { id: "b", writeSet: ["x"] },
    ];
    const script = { plan: [graph(two), graph([{ id: "c" }])] };
    const { runId } = await bench.start({ template, extra: { fake: { script, delayMs: 2 } } });
    const gate = await asked(runId, "parallel_dag_approved");
    await bench.decide(gate.id, "request_changes", "One task is enough");
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ c: "done" });
    expect((await bench.prompts(runId)).at(-1)?.instructions).toContain("One task is enough");
  });

  test("a choice that is not offered is refused", async () => {
    const runId = await start([
      { id: "a", writeSet: ["x"] },
      { id: "b", writeSet: ["x"] },
    ]);
    const gate = await asked(runId, "parallel_dag_approved");
    await expect(choose(gate.id, "rebase")).rejects.toMatchObject({ code: "input_invalid" });
    await bench.decide(gate.id, "abort");
    await bench.until(runId, (now) => now.run.final_report_path !== null);
  });

  test("files outside of the set stop the merge, and a person may widen it", async () => {
    const runId = await start([{ id: "a" }], { a: writes({ "a.txt": "1\n", "extra.txt": "2\n" }) });
    const gate = await asked(runId, "writeset_conflict");
    expect(gate.payload).toMatchObject({
      lane: "a",
      detail: "extra.txt: not in the write set",
      choices: [{ id: "widen" }, { id: "again" }, { id: "drop" }],
    });
    await choose(gate.id, "widen");
    const done = await bench.finish(runId);
    expect(done.tasks[0]).toMatchObject({ state: "done", write_set: ["a.txt", "extra.txt"] });
    expect(await blob(runId, "extra.txt")).toBe("2\n");
  });

  test("a file of another lane, and a link out of the set, cannot be widened", async () => {
    const runId = await start([{ id: "a", writeSet: ["a/**"] }, { id: "b" }], {
      a: [writes({ "a/link": { link: "../.." }, "b.txt": "mine\n" }), writes({ "a/fine.txt": "1\n" })],
    });
    const gate = await asked(runId, "writeset_conflict");
    expect(gate.payload).toMatchObject({
      detail: "a/link: a link out of the repository\nb.txt: not in the write set; it belongs to the lane b",
      choices: [{ id: "again" }, { id: "drop" }],
    });
    await choose(gate.id, "again", "Stay in your folder");
    const done = await bench.finish(runId);
    expect(done.tasks[0]).toMatchObject({ state: "done", tries: 2 });
    const [prompt] = await bench.prompts(done.tasks[0]?.lane_run_id ?? "");
    expect(prompt?.instructions).toContain("A person says about this task: Stay in your folder");
    const second = await bench.snapshot(done.tasks[0]?.lane_run_id ?? "");
    expect(second.run.branch).toEndWith("/a.2");
  });
});

describe("merging", () => {
  const index = (line: string) => ({ "src/index.ts": `import "a";\n${line}\n\nrun();\n` });
  const both = 'import "a";\nimport "b";\nimport "c";\n\nrun();\n';
  const pair = [
    { id: "b", writeSet: ["src/index.ts"] },
    { id: "c", writeSet: ["src/index.ts"] },
  ];

  async function conflicted(ofC: unknown, input = {}): Promise<string> {
    const ofB = { ...writes(index('import "b";')), polish: "no_change" };
    const runId = await start(pair, { b: ofB, c: ofC }, input);
    await choose((await asked(runId, "parallel_dag_approved")).id, "parallel");
    return runId;
  }

  test("two lanes that add a line to the same import block: the later one's agent resolves it", async () => {
    const slow = { implement: { files: index('import "c";'), delayMs: 1_500 } };
    const left = { implement: { files: {} } };
    const runId = await conflicted([slow, left, writes({ "src/index.ts": both })]);
    const gate = await asked(runId, "merge_conflict");
    expect(gate.payload).toMatchObject({ lane: "c", paths: ["src/index.ts"] });
    expect(String(gate.payload.detail)).toContain('import "b";');
    expect(String(gate.payload.detail)).toContain('import "c";');
    await choose(gate.id, "rebase");
    // The agent left the marks where they were: the lane stops, and the person gives it up.
    const second = await laneOf(runId, "c", 2);
    const marked = await bench.gate(second);
    expect(marked).toMatchObject({ gate_key: "recovery:conflict_markers_left" });
    await bench.decide(marked.id, "reject");
    await choose((await asked(runId, "lane_failed")).id, "again");
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ b: "done", c: "done" });
    expect(await blob(runId, "src/index.ts")).toBe(both);
    expect((await bench.eventTypes(runId)).filter((one) => one === "merge.conflicted")).toHaveLength(1);
    const { ok, checks } = await verifyRun(bench.context, runId);
    expect({ ok, bad: checks.filter((one) => !one.ok) }).toEqual({ ok: true, bad: [] });
  });

  test("what collides while lanes work is in the next prompt, and a merge by hand is taken", async () => {
    // The second one commits after the first.
    const late = { implement: { files: index('import "c";'), delayMs: 1_500 }, polish: "no_change" };
    const runId = await conflicted(late, { template: polished });
    const gate = await asked(runId, "merge_conflict");
    const rows = await bench.database.asEngine(
      (tx) => tx<{ files: { path: string }[] }[]>`select files from app.lane_collisions where run_id = ${runId}`,
    );
    expect(rows.map(({ files }) => files[0]?.path)).toContain("src/index.ts");
    const told = (await bench.prompts(await laneOf(runId, "c"))).find((one) => one.phaseKey === "polish")?.instructions;
    expect(told).toContain("## Collisions with other lanes");
    expect(told).toContain('> import "b";');
    await expect(choose(gate.id, "by_hand")).rejects.toThrow("does not contain the lane c yet");
    const { run, tasks } = await bench.snapshot(runId);
    const cwd = run.worktree_root;
    const identity = { name: "Ada", email: "ada@example.com" };
    await git(["merge", "--no-commit", "--no-ff"], { cwd, identity, revisions: [tasks[1]?.head ?? ""], answers: [1] });
    await Bun.write(`${cwd}/src/index.ts`, both);
    await git(["add", "--all"], { cwd, paths: ["."] });
    await git(["commit", "--quiet", "-m", "Both"], { cwd, identity });
    await choose(gate.id, "by_hand");
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ b: "done", c: "done" });
    expect(await blob(runId, "src/index.ts")).toBe(both);
    expect((await verifyRun(bench.context, runId)).ok).toBe(true);
  });

  test("a rename in one lane and an edit in the other are merged into the new name", async () => {
    const runId = await start(
      [
        { id: "edit", writeSet: ["src/old.ts"] },
        { id: "move", writeSet: ["src/old.ts", "src/new.ts"] },
      ],
      {
        edit: writes({ "src/old.ts": "one\ntwo\nthree\nfour\nfive\n" }),
        move: writes({ "src/old.ts": null, "src/new.ts": "one\ntwo\nthree\nfour\n" }),
      },
    );
    await choose((await asked(runId, "parallel_dag_approved")).id, "parallel");
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ edit: "done", move: "done" });
    expect(await blob(runId, "src/new.ts")).toBe("one\ntwo\nthree\nfour\nfive\n");
  });
});

describe("a lane that fails", () => {
  test("stops alone; dropping it drops what depends on it, and the rest is merged", async () => {
    const runId = await start([{ id: "a" }, { id: "b", dependsOn: ["a"] }, { id: "c" }], {
      a: { implement: "invalid" },
    });
    const lane = await laneOf(runId, "a");
    const stopped = await bench.gate(lane);
    expect(stopped.kind).toBe("recovery");
    await bench.decide(stopped.id, "reject");
    const gate = await asked(runId, "lane_failed");
    expect(gate.payload).toMatchObject({ lane: "a", choices: [{ id: "again" }, { id: "drop" }] });
    await bench.until(runId, (now) => now.tasks.some((one) => one.task_id === "c" && /finished|done/.test(one.state)));
    await choose(gate.id, "drop");
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ a: "dropped", b: "dropped", c: "done" });
    expect(done.run.state).toBe("completed");
  });
});

describe("a parent and its lanes", () => {
  const slow = { implement: { scenario: "ok", delayMs: 700 } } as const;

  test("lanes pause and go on with their parent, and cannot be resumed alone", async () => {
    const runId = await start([{ id: "a" }, { id: "b" }], { a: slow, b: slow });
    const [a, b] = [await laneOf(runId, "a"), await laneOf(runId, "b")];
    await bench.until(a, (now) => now.phases[0]?.state === "awaiting_artifact");
    await bench.engine.pauseRun(runId, { clientToken: "p1", hard: true }, bench.person);
    const paused = await bench.until(a, (now) => now.run.state === "paused");
    await bench.until(b, (now) => now.run.state === "paused");
    expect(paused.run.pause_cause).toMatch(/^parent:\d+$/);
    await expect(bench.engine.resumeRun(a, { clientToken: "r0" }, bench.person)).rejects.toThrow(
      "paused with its parent",
    );
    await bench.engine.resumeRun(runId, { clientToken: "r1" }, bench.person);
    const done = await bench.finish(runId);
    expect(states(done)).toEqual({ a: "done", b: "done" });
  });

  test("lanes end with their parent, which closes after them; they are cleaned up together", async () => {
    const runId = await start([{ id: "a" }, { id: "b" }], { a: slow, b: slow });
    const a = await laneOf(runId, "a");
    await bench.until(a, (now) => now.phases[0]?.state === "awaiting_artifact");
    const claims = { sub: bench.person.userId ?? "", role: "authenticated" } as const;
    const { visibleRun } = await import("../views/index.ts");
    const seen = (id: string) => visibleRun({ database: bench.database, claims }, id);
    await bench.engine.abortRun(runId, { reason: "obsolete" }, bench.person);
    const lane = await bench.until(a, (now) => now.run.final_report_path !== null);
    expect(lane.run).toMatchObject({ state: "aborted", failure_reason: "its parent was aborted" });
    const parent = await bench.until(runId, (now) => now.run.final_report_path !== null);
    expect(parent.tasks.every((one) => one.lane?.closed !== false)).toBe(true);
    const cleaned = await cleanUpRun(context(), await seen(runId), { force: true, confirm: runId }, bench.person);
    expect(cleaned.lanes.length).toBeGreaterThan(0);
    expect(existsSync(lane.run.worktree_root)).toBe(false);
    expect(existsSync(parent.run.worktree_root)).toBe(false);
  });

  test("a lane cannot be cleaned up while its parent is open", async () => {
    const runId = await start([{ id: "a" }, { id: "b", dependsOn: ["a"] }], { b: slow });
    await laneOf(runId, "b");
    const a = await laneOf(runId, "a");
    const claims = { sub: bench.person.userId ?? "", role: "authenticated" } as const;
    const { visibleRun } = await import("../views/index.ts");
    const seen = await visibleRun({ database: bench.database, claims }, a);
    await expect(cleanUpRun(context(), seen, { force: false }, bench.person)).rejects.toThrow(
      "a lane of a run that has not ended",
    );
    await bench.finish(runId);
  });

  test("one pot: what lanes use counts for the parent, which asks once", async () => {
    const used = { implement: { scenario: "ok", usage: { ...nothing, inputTokens: 600 } } };
    const runId = await start(
      [{ id: "a" }, { id: "b", dependsOn: ["a"] }, { id: "c", dependsOn: ["b"] }],
      { a: used, b: used, c: used },
      { maxTokens: 1_200 },
    );
    const gate = await bench.gate(runId);
    expect(gate.gate_key).toBe("recovery:budget_reached");
    await bench.decide(gate.id, "approve");
    const done = await bench.finish(runId);
    expect(Object.values(states(done))).toEqual(["done", "done", "done"]);
    const all = done.approvals.map((one) => one.gate_key);
    expect(new Set(all)).toEqual(new Set(["recovery:budget_reached"]));
  });

  test("a log of a lane that was altered is found from its parent", async () => {
    const done = await bench.finish(await start([{ id: "a" }]));
    const lane = done.tasks[0]?.lane_run_id ?? "";
    await bench.admin`alter table app.run_events disable trigger all`;
    await bench.admin`update app.run_events set payload = '{}' where run_id = ${lane} and seq = 3`;
    await bench.admin`alter table app.run_events enable trigger all`;
    const { ok, checks } = await verifyRun(bench.context, done.run.id);
    expect(ok).toBe(false);
    expect(checks.find((one) => one.name === "lane a")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("event 3"),
    });
  });

  const context = () => bench.context;
});
