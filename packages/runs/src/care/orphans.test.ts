/** What is left when a run is gone: a worktree, an agent. */
import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "@devflow/core/ids";
import { makeWorktree, worktreeBranch, worktreePath } from "@devflow/harness";
import { plainLaunch } from "@devflow/session/testing";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { findOrphans } from "./orphans.ts";

const bench: EngineBench = await openEngineBench();
afterAll(() => bench.close());
const { context } = bench;
const call = { epoch: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };
const look = () => findOrphans(context);

/** An agent as a separate process, in the folder where a run's agent would be. */
async function startAgent(runId: string) {
  const sessionId = uuidv7();
  const folder = join(context.workspaceRoot, runId, "sessions", sessionId);
  const handle = await context.adapters.fake?.start(
    {
      sessionId,
      runId,
      roleId: "coder",
      laneId: "main",
      backend: "fake",
      cwd: context.workspaceRoot,
      folder,
      writableFolders: [],
      variables: [],
      launch: plainLaunch,
      prelude: "",
    },
    call,
  );
  if (!handle) throw new Error("no fake adapter");
  return handle;
}

test("a worktree and an agent that no run knows are listed; those of an active run are not", async () => {
  await bench.addTemplate(smallTemplate("gated", [{ ...planPhase, gates: ["plan_approved"] }, workPhase]));
  const runId = await bench.play({}, { template: "gated" });
  await bench.gate(runId);
  expect(await look()).toEqual({ unknown: [], gone: [], agents: [] });

  const lost = uuidv7();
  const path = worktreePath(context.workspaceRoot, lost, "main");
  const { run } = await bench.snapshot(runId);
  const place = { repository: bench.repository, baseCommit: run.base_commit, env: context.env };
  await makeWorktree({ ...place, root: path, branch: worktreeBranch(lost, "main") });
  const agent = await startAgent(lost);
  try {
    const found = await look();
    expect(found.unknown.map((one) => [one.runId, one.path])).toEqual([[lost, path]]);
    expect(found.agents).toEqual([
      { runId: lost, sessionId: agent.sessionId, pid: agent.pid as number, isKnown: false },
    ]);
  } finally {
    await context.adapters.fake?.dispose(agent, call);
  }
  expect((await look()).agents).toEqual([]);
  rmSync(join(context.workspaceRoot, lost), { recursive: true });

  expect((await bench.finish(runId)).run.state).toBe("completed");
  const late = await startAgent(runId);
  try {
    expect((await look()).agents).toEqual([
      { runId, sessionId: late.sessionId, pid: late.pid as number, isKnown: true },
    ]);
  } finally {
    await context.adapters.fake?.dispose(late, call);
  }
  rmSync(run.worktree_root, { recursive: true });
  expect(await look()).toEqual({ unknown: [], gone: [{ runId, worktree: run.worktree_root }], agents: [] });
});
