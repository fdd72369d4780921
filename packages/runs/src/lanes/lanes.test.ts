/** Runs with lanes, from the task graph to the merged branch, with fake agents and a real repository. */
import { afterAll, describe, expect, test } from "bun:test";
import { git } from "@devflow/git";
import { openEngineBench } from "../../testing/engine-bench.ts";

const bench = await openEngineBench({ maxConcurrentRuns: 3 });
afterAll(() => bench.close());

const show = async (run: string, path: string): Promise<string> => {
  const branch = (await bench.snapshot(run)).run.branch;
  return (await git(["cat-file", "blob", `${branch}:${path}`], { cwd: bench.repository })).stdout;
};

describe("a run with lanes", () => {
  test("tasks are done side by side, merged in order, and looked at as a whole", async () => {
    const { runId } = await bench.start({ template: "development-parallel-fake@1" });
    const done = await bench.finish(runId);
    expect(done.run.state).toBe("completed");
    expect(done.tasks.map(({ task_id, state, merge_order }) => ({ task_id, state, merge_order }))).toEqual([
      { task_id: "german", state: "done", merge_order: expect.any(Number) },
      { task_id: "french", state: "done", merge_order: expect.any(Number) },
      { task_id: "list", state: "done", merge_order: 3 },
    ]);
    expect(await show(runId, "greetings/de.json")).toBe("attempt 1\n");
    expect(await show(runId, "languages.md")).toBe("attempt 1\n");
  });
});
