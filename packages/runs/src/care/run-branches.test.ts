import { afterAll, expect, test } from "bun:test";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { git } from "@devflow/git";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { packBranches, unpackBranches } from "./run-branches.ts";

const bench = await openEngineBench();
await bench.addTemplate(smallTemplate("work", [workPhase]));
afterAll(() => bench.close());

test("what a run committed comes back to a repository that lost its branch", async () => {
  const { runId } = await bench.start({ template: "work@1" });
  const { run } = await bench.finish(runId);
  const { env } = bench.context;
  const cwd = bench.repository;
  const tip = async () => (await git(["rev-parse", "--verify"], { cwd, env, revisions: [run.branch] })).stdout;
  const before = await tip();
  const options = { database: bench.database, env, folder: join(bench.context.workspaceRoot, "..", "branches") };
  expect(await packBranches(options)).toEqual([join(options.folder, `${runId}.bundle`)]);

  await git(["worktree", "remove", "--force", run.worktree_root], { cwd, env });
  await git(["update-ref", "-d", `refs/heads/${run.branch}`], { cwd, env });
  expect(await unpackBranches(options)).toEqual({ restored: 1, waiting: [] });
  expect(await tip()).toBe(before);
  expect(await unpackBranches(options)).toEqual({ restored: 1, waiting: [] });

  renameSync(cwd, `${cwd}-elsewhere`);
  const { waiting } = await unpackBranches(options);
  renameSync(`${cwd}-elsewhere`, cwd);
  expect(waiting).toEqual([{ bundle: join(options.folder, `${runId}.bundle`), repository: cwd, branch: run.branch }]);
  expect(existsSync(waiting[0]?.bundle ?? "")).toBe(true);
});
