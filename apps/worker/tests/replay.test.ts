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
const historyOf = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));

test("every recorded workflow can be continued by the workflow of today", async () => {
  const code = await workflowCode();
  expect(names).not.toBeEmpty();
  for (const name of names) await Worker.runReplayHistory({ workflowBundle: { code } }, historyOf(name));
});

test("a workflow that does something else is noticed", async () => {
  const code = (await workflowCode()).replaceAll("devflow-host-", "another-queue-");
  const replay = Worker.runReplayHistory({ workflowBundle: { code } }, historyOf(names[0] ?? ""));
  await expect(replay).rejects.toThrow(/[Nn]ondeterminism/);
});
