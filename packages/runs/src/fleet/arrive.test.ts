import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { git } from "@devflow/git";
import { makeWorktree } from "@devflow/harness";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { noteArrival, setAsideOlder } from "./arrive.ts";

const bench = await openEngineBench();
afterAll(() => bench.close());

test("what a run left on a machine is set aside as often as it is there again, and its lanes are left alone", async () => {
  const runId = await bench.play({});
  await bench.finish(runId);
  const { run } = await bench.snapshot(runId);
  const lane = join(run.folder, "lane");
  mkdirSync(lane);
  // Only its place counts: a lane at work in a worktree within the folder of its run.
  await bench.admin`
    insert into app.runs select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'parent_run_id', r.id,
      'lane_id', 'lane', 'lane_base', 'c', 'lane_try', 1, 'client_token', 'lane', 'worktree_root', ${lane}::text))).*
    from app.runs r where r.id = ${runId}`;
  writeFileSync(join(run.worktree_root, "left.txt"), "not committed\n");
  const back = { ...run, incarnation: 2 };
  await setAsideOlder(bench.context, back);
  expect(existsSync(run.worktree_root)).toBe(false);
  expect(readFileSync(join(`${run.folder}.stay-0`, "main", "left.txt"), "utf8")).toBe("not committed\n");
  expect(existsSync(lane)).toBe(true);

  // An agent of the old stay wrote once more, or the call was interrupted.
  mkdirSync(join(run.folder, "sessions"));
  writeFileSync(join(run.folder, "sessions", "late.txt"), "late\n");
  await setAsideOlder(bench.context, back);
  expect(readFileSync(join(`${run.folder}.stay-0.2`, "sessions", "late.txt"), "utf8")).toBe("late\n");
  await noteArrival(back);
  await setAsideOlder(bench.context, back);
  expect([existsSync(join(run.folder, "incarnation")), existsSync(`${run.folder}.stay-0.3`)]).toEqual([true, false]);
  const { stdout } = await git(["branch", "--list", `${run.branch}*`], { cwd: bench.repository });
  expect(stdout.trim().split(/\s+/)).toEqual(["+", `${run.branch}.stay-0`]);
});

test("what an interrupted git left of a worktree is set aside like a whole one, also without the repository", async () => {
  const runId = await bench.play({});
  await bench.finish(runId);
  const { run } = await bench.snapshot(runId);
  const { cwd, env } = { cwd: bench.repository, env: bench.context.env };
  const isEmpty = (suffix: string) => readdirSync(join(`${run.folder}${suffix}`, basename(run.worktree_root)));
  await git(["worktree", "remove", "--force"], { cwd, env, revisions: [run.worktree_root] });
  mkdirSync(run.worktree_root);
  const back = { ...run, incarnation: 2 };
  await setAsideOlder(bench.context, back);
  expect(isEmpty(".stay-0")).toEqual([]);

  await git(["worktree", "add", "--quiet", "--no-track", "-b", run.branch], {
    cwd,
    env,
    revisions: [run.worktree_root],
  });
  const own = (await git(["rev-parse", "--absolute-git-dir"], { cwd: run.worktree_root, env })).stdout.trim();
  writeFileSync(join(own, "locked"), "initializing");
  await setAsideOlder(bench.context, back);
  expect([existsSync(run.worktree_root), isEmpty(".stay-0.2").includes(".git")]).toEqual([false, true]);
  await makeWorktree({
    repository: cwd,
    root: run.worktree_root,
    branch: run.branch,
    baseCommit: run.base_commit,
    env,
  });
  expect((await git(["rev-parse", "--abbrev-ref", "HEAD"], { cwd: run.worktree_root, env })).stdout.trim()).toBe(
    run.branch,
  );

  await setAsideOlder(bench.context, { ...back, repo_path: join(run.folder, "gone") });
  expect([existsSync(run.worktree_root), isEmpty(".stay-0.3").includes(".git")]).toEqual([false, true]);
});
