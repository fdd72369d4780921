/** A replaced driver can no longer touch the agent. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@devflow/testkit";
import { plainLaunch } from "../testing/index.ts";
import type { SessionHandle, StartInput } from "./adapter.ts";
import { fenced } from "./driver-fence.ts";
import { createFakeAdapter } from "./fake/fake-adapter.ts";
import { makeEnvelope } from "./prompt-envelope.ts";

const home = temporaryHome();
const agent = fileURLToPath(new URL("./fake/agent.ts", import.meta.url));
const adapter = fenced(
  createFakeAdapter({
    agentCommand: [process.execPath, agent],
    environment: () => home.environment(),
    defaultDelayMs: 5,
  }),
);
const { signal } = new AbortController();
const older = { epoch: 1, signal };
const newer = { epoch: 2, signal };

const input: StartInput = {
  sessionId: "session",
  runId: "run",
  roleId: "coder",
  laneId: "main",
  backend: "fake",
  cwd: home.path,
  folder: join(home.path, "session"),
  writableFolders: [],
  variables: [],
  launch: plainLaunch,
  prelude: "",
};
const ask = (attempt: number) =>
  makeEnvelope({
    runId: "run",
    roleId: "coder",
    phaseKey: "plan",
    expectedArtifact: join(input.folder, "plan.json"),
    expectedSchema: "dev/phase-plan@1",
    instructions: "Plan it.",
    attempt,
  });

let handle: SessionHandle;
afterAll(() => adapter.dispose(handle, newer));

test("every verb of an older driver is refused once a newer one has used the session", async () => {
  handle = await adapter.start(input, older);
  await adapter.sendPrompt(handle, ask(1), older);
  await adapter.sendPrompt(handle, ask(2), newer);
  const refused = { code: "driver_replaced" };
  await expect(adapter.start(input, older)).rejects.toMatchObject(refused);
  await expect(adapter.sendPrompt(handle, ask(3), older)).rejects.toMatchObject(refused);
  await expect(adapter.resume(handle, older)).rejects.toMatchObject(refused);
  await expect(adapter.rebootstrap(handle, older)).rejects.toMatchObject(refused);
  await expect(adapter.interrupt(handle, older)).rejects.toMatchObject(refused);
  await expect(adapter.answerPermission(handle, "p", "allow", older)).rejects.toMatchObject(refused);
  await expect(adapter.dispose(handle, older)).rejects.toMatchObject(refused);
  const received = readFileSync(join(input.folder, "journal.jsonl"), "utf8").trim().split("\n");
  expect(received.map((line) => JSON.parse(line).attempt)).toEqual([1, 2]);
});

test("two prompts of one session are delivered one at a time", async () => {
  await Promise.all([adapter.sendPrompt(handle, ask(4), newer), adapter.sendPrompt(handle, ask(5), newer)]);
  const received = readFileSync(join(input.folder, "journal.jsonl"), "utf8").trim().split("\n");
  expect(received.map((line) => JSON.parse(line).attempt).sort()).toEqual([1, 2, 4, 5]);
});
