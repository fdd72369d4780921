/** A file that existed before the question is not an answer to it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, openEngineBench } from "../../testing/engine-bench.ts";
import { planPhase, smallTemplate, workPhase } from "../../testing/small-templates.ts";

const bench: EngineBench = await openEngineBench();
afterAll(() => bench.close());
beforeAll(async () => {
  await bench.addTemplate(smallTemplate("two", [{ ...planPhase, gates: ["plan_approved"] }, workPhase]));
});

test("a file that an agent writes early for the next phase does not count", async () => {
  const runId = await bench.play({}, { template: "two" });
  const gate = await bench.gate(runId);
  const folder = join(bench.context.workspaceRoot, runId, "artifacts");
  mkdirSync(folder, { recursive: true });
  const planted = { summary: "Planted", noChange: true, files: [], testsAdded: [], notes: [] };
  writeFileSync(join(folder, "change.json"), JSON.stringify(planted));
  writeFileSync(join(folder, "change.json.attempt-0"), "{}");
  await bench.decide(gate.id, "approve");
  const { run } = await bench.finish(runId);
  expect(run.state).toBe("completed");
  expect(JSON.parse(readFileSync(join(folder, "change.json"), "utf8")).summary).toBe("The greeting takes a language.");
});
