/** Runs of a machine that is gone: its engine, its agents and its folders are no more. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endSessions } from "../../testing/end-sessions.ts";
import { openEngineBench } from "../../testing/engine-bench.ts";
import { fakeEngineContext } from "../../testing/fake-engine-context.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";
import { createRunEngine } from "./create-run-engine.ts";
import { createInlineDriver } from "./inline-driver.ts";

const bench = await openEngineBench();
const gated = { ...planPhase, gates: ["plan_approved"] };
await bench.addTemplate(smallTemplate("gated", [gated, workPhase]));
const context = await fakeEngineContext({
  database: bench.database,
  env: bench.context.env,
  folder: join(bench.context.workspaceRoot, "..", "new-machine"),
  host: "new-machine",
});
const engine = createRunEngine(context, createInlineDriver(context));
afterAll(async () => {
  await engine.stop();
  await endSessions(context);
  await bench.close();
});

/** A run that waits at its gate, on a machine that then burns down. */
async function orphanedRun(): Promise<string> {
  const { runId } = await bench.start({ template: "gated@1" });
  await bench.gate(runId);
  await bench.engine.stop();
  await endSessions(bench.context);
  rmSync(join(bench.context.workspaceRoot, runId), { recursive: true });
  return runId;
}

/** The repository as another machine has it: with the run's branch, without the worktrees of the first. */
function copiedRepository(): string {
  const copy = `${bench.repository}-copied`;
  cpSync(bench.repository, copy, { recursive: true });
  rmSync(join(copy, ".git/worktrees"), { recursive: true, force: true });
  return copy;
}

const from = bench.context.host;

test("is taken over by another machine, which brings it to its end, or is ended there", async () => {
  const runId = await orphanedRun();
  await expect(engine.adoptRun(runId, { from: "another" }, bench.person)).rejects.toMatchObject({
    code: "conflict",
    message: `Run ${runId} belongs to the machine ${from}, not another.`,
  });
  await expect(engine.adoptRun(runId, { from, repository: "/" }, bench.person)).rejects.toBeDefined();
  await engine.adoptRun(runId, { from, repository: copiedRepository() }, bench.person);
  const gate = await bench.gate(runId);
  await engine.decide(gate.id, { verdict: "approve", clientToken: "yes" }, bench.person);
  const done = await bench.until(runId, ({ run }) => run.final_report_path !== null);
  expect([done.run.state, done.run.host]).toEqual(["completed", "new-machine"]);
  expect(await bench.eventTypes(runId)).toContain("run.adopted");

  await bench.restart();
  const second = await orphanedRun();
  await engine.adoptRun(second, { from, end: true }, bench.person);
  const ended = await bench.until(second, ({ run }) => run.final_report_path !== null);
  expect([ended.run.state, ended.run.failure_reason]).toEqual(["aborted", `The machine ${from} is gone.`]);
});
