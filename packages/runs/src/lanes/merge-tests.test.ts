/** The repository's tests after each merge, submodules, and a server that dies while lanes work. */
import { afterAll, expect, test } from "bun:test";
import { git } from "@devflow/git";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";

const open: EngineBench[] = [];
afterAll(() => Promise.all(open.map((one) => one.close())));

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

async function benchWith(files: Record<string, string>): Promise<EngineBench> {
  const bench = await openEngineBench({ files });
  open.push(bench);
  await bench.addTemplate(smallTemplate("small-lane", [workOnTask]));
  await bench.addTemplate(smallTemplate("small-lanes", [cut, lanes]));
  return bench;
}

const graph = (ids: readonly string[]) => ({
  artifact: { tasks: ids.map((id) => ({ id, title: id, dependsOn: [], writeSet: [`${id}.txt`] })) },
});

test("a red test names the merge that turned it red, and a person may go on", async () => {
  const test = ["sh", "-c", "test ! -e bad.txt || { echo broken by bad; exit 1; }"];
  const bench = await benchWith({ "README.md": "# Demo\n", ".devflow.json": JSON.stringify({ test: [test] }) });
  const fake = {
    script: { plan: graph(["good", "bad"]) },
    delayMs: 2,
    lanes: { bad: { implement: { delayMs: 1_500 } } },
  };
  const { runId } = await bench.start({ template: "small-lanes@1", extra: { fake } });
  const gate = await bench.gate(runId);
  expect(gate).toMatchObject({ gate_key: "merge_tests_failed", payload: { lane: "bad" } });
  expect(String(gate.payload.reason)).toMatch(/ended with 1 since the merge of the lane bad \([0-9a-f]{10}\)$/);
  expect(String(gate.payload.detail)).toContain("broken by bad");
  const decide = (id: string, choice: string) =>
    bench.engine.decide(id, { verdict: "approve", clientToken: `${id}`, choice }, bench.person);
  await decide(gate.id, "retest");
  const again = await bench.gate(runId);
  expect(again.id).not.toBe(gate.id);
  await decide(again.id, "continue");
  const done = await bench.finish(runId);
  expect(done.run.state).toBe("completed");
  expect(done.tasks.map((one) => one.state)).toEqual(["done", "done"]);
  expect(done.commands.filter((one) => one.kind === "test").map((one) => one.exit_code)).toEqual([0, 1, 1]);
});

test("a repository with a submodule has lanes like any other", async () => {
  const bench = await benchWith({ "README.md": "# Demo\n" });
  const cwd = bench.repository;
  const head = (await git(["rev-parse", "HEAD"], { cwd })).stdout.trim();
  // A link to a commit of another repository, as git stores it.
  await git(["update-index", "--add", "--cacheinfo", `160000,${head},vendor/lib`], { cwd });
  await Bun.write(`${cwd}/.gitmodules`, '[submodule "vendor/lib"]\n\tpath = vendor/lib\n\turl = ./lib\n');
  await git(["add", "--all"], { cwd, paths: [".gitmodules"] });
  await git(["commit", "--quiet", "-m", "Submodule"], { cwd, identity: { name: "Ada", email: "ada@example.com" } });
  const fake = { script: { plan: graph(["a", "b"]) }, delayMs: 2 };
  const { runId } = await bench.start({ template: "small-lanes@1", extra: { fake } });
  const done = await bench.finish(runId);
  expect(done.tasks.map((one) => one.state)).toEqual(["done", "done"]);
  const tree = await git(["ls-tree", "-r", done.run.branch], { cwd });
  expect(tree.stdout).toContain(`160000 commit ${head}\tvendor/lib`);
});

test("an engine that is started again takes up the parent and its lanes", async () => {
  const bench = await benchWith({ "README.md": "# Demo\n" });
  const slow = { implement: { delayMs: 600 } };
  const fake = { script: { plan: graph(["a", "b", "c"]) }, delayMs: 2, lanes: { a: slow, b: slow, c: slow } };
  const { runId } = await bench.start({ template: "small-lanes@1", extra: { fake } });
  await bench.until(runId, (now) => now.tasks.filter((one) => one.state === "working").length === 3);
  await bench.restart();
  const done = await bench.finish(runId);
  expect(done.tasks.map((one) => one.state)).toEqual(["done", "done", "done"]);
});
