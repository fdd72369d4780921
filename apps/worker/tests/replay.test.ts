/**
 * Recorded histories of released workflows are replayed: a workflow that runs while the worker is upgraded must be able to go
 * on. To record one: `bun apps/worker/tests/record-history.ts <name>`, under a new name; a recorded one never changes.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { quietLog } from "@devflow/testkit";
import { Worker } from "@temporalio/worker";
import { installRuntime } from "../src/temporal/sdk-runtime.ts";
import { workflowCode } from "../src/workflow/workflow-code.ts";

installRuntime(quietLog);
const folder = join(import.meta.dir, "histories");
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));

/**
 * As the SDK reads histories, but with the copy of protobufjs that made the SDK's message types. It looks the types up with
 * `instanceof`, and npm may install a copy for each of its packages.
 */
const ofClient = createRequire(createRequire(import.meta.url).resolve("@temporalio/client"));
const ofMessages = createRequire(ofClient.resolve("@temporalio/proto"));
const { fromJson } = ofMessages("protobufjs/ext/protojson");
const { patchProtobufRoot } = ofMessages("@temporalio/proto/lib/patch-protobuf-root");
const History = patchProtobufRoot(ofMessages("@temporalio/proto")).lookupType("temporal.api.history.v1.History");
const historyOf = (name: string): unknown => fromJson(History, JSON.parse(readFileSync(join(folder, name), "utf8")));

test("every recorded workflow can be continued by the workflow of today", async () => {
  const code = await workflowCode();
  expect(names).not.toBeEmpty();
  for (const name of names) await Worker.runReplayHistory({ workflowBundle: { code } }, historyOf(name));
});

test("a workflow that does something else is noticed", async () => {
  const code = await workflowCode();
  const changed = code.replaceAll(".advance(runId)", ".retreat(runId)");
  expect(changed).not.toBe(code);
  const replay = Worker.runReplayHistory({ workflowBundle: { code: changed } }, historyOf(names[0] ?? ""));
  await expect(replay).rejects.toThrow(/nondeterminism/i);
});
