/**
 * Recorded histories of released workflows are replayed: a workflow that runs while the worker is upgraded must be able to go
 * on. To record one: `bun apps/worker/tests/record-history.ts <name>`, under a new name; a recorded one never changes.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "@temporalio/worker";
import { workflowCode } from "../src/workflow/workflow-code.ts";

const folder = join(import.meta.dir, "histories");
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));

test("there are histories", () => {
  expect(names.length).toBeGreaterThan(0);
});

test.each(names)("%s can be continued by the workflow of today", async (name) => {
  const history = JSON.parse(readFileSync(join(folder, name), "utf8"));
  await Worker.runReplayHistory({ workflowBundle: { code: await workflowCode() } }, history);
});

test("a workflow that does something else is noticed", async () => {
  const [name = ""] = names;
  const history = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const code = (await workflowCode()).replaceAll("devflow-host-", "another-queue-");
  await expect(Worker.runReplayHistory({ workflowBundle: { code } }, history)).rejects.toThrow(/[Nn]ondeterminism/);
});
