/** The fake agent as its driver sees it: one process per folder and one answer per question, whatever dies. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@devflow/testkit";
import { plainLaunch } from "../../testing/index.ts";
import type { SessionFact, SessionHandle, StartInput } from "../adapter.ts";
import { makeEnvelope } from "../prompt-envelope.ts";
import { createFakeAdapter } from "./fake-adapter.ts";

const home = temporaryHome();
const agent = fileURLToPath(new URL("./agent.ts", import.meta.url));
const adapter = createFakeAdapter({
  agentCommand: [process.execPath, agent],
  environment: () => home.environment(),
  defaultDelayMs: 5,
});
const call = { epoch: 1, signal: new AbortController().signal };
const started: SessionHandle[] = [];
afterEach(async () => {
  for (const handle of started.splice(0)) await adapter.dispose(handle, call);
});

let count = 0;
async function start(script: Record<string, unknown> = {}): Promise<{ handle: SessionHandle; input: StartInput }> {
  count += 1;
  const folder = join(home.path, `session-${count}`);
  const input: StartInput = {
    sessionId: `session-${count}`,
    runId: "run",
    roleId: "coder",
    laneId: "main",
    backend: "fake",
    cwd: home.path,
    folder,
    writableFolders: [],
    variables: [],
    launch: { ...plainLaunch, extra: { script } },
    prelude: "",
  };
  const handle = await adapter.start(input, call);
  started.push(handle);
  return { handle, input };
}
const ask = (handle: SessionHandle, attempt = 1) =>
  makeEnvelope({
    runId: "run",
    roleId: "coder",
    phaseKey: "plan",
    expectedArtifact: join(handle.folder, "plan.json"),
    expectedSchema: "dev/phase-plan@1",
    instructions: "Plan it.",
    attempt,
  });
const journal = ({ folder }: SessionHandle): string[] =>
  readFileSync(join(folder, "journal.jsonl"), "utf8").trim().split("\n");

async function factsUntil(handle: SessionHandle, kind: SessionFact["kind"], after = 0): Promise<SessionFact[]> {
  const seen: SessionFact[] = [];
  for await (const fact of adapter.facts(handle, after, AbortSignal.timeout(60_000))) {
    seen.push(fact);
    if (fact.kind === kind) break;
  }
  return seen;
}

test("starting the same session again finds the running agent, even when both start at once", async () => {
  const { handle, input } = await start();
  const [second, third] = await Promise.all([adapter.start(input, call), adapter.start(input, call)]);
  expect([second?.pid, third?.pid]).toEqual([handle.pid, handle.pid]);
});

test("a prompt that is delivered twice is received once", async () => {
  const { handle } = await start();
  const envelope = ask(handle);
  await Promise.all([adapter.sendPrompt(handle, envelope, call), adapter.sendPrompt(handle, envelope, call)]);
  expect((await factsUntil(handle, "idle")).map((fact) => fact.kind)).toEqual(["ack", "usage", "idle"]);
  await adapter.sendPrompt(handle, envelope, call);
  expect(journal(handle)).toHaveLength(1);
  expect(existsSync(envelope.expectedArtifact)).toBe(true);
});

describe("after kill -9", () => {
  test("the exit is reported; after a restart, the agent knows what it received and answers nothing twice", async () => {
    const { handle } = await start({ plan: [{ scenario: "ok", delayMs: 60_000 }, "ok"] });
    await adapter.sendPrompt(handle, ask(handle), call);
    expect(await adapter.probe(handle, call.signal)).toMatchObject({ alive: true, busy: true });
    process.kill(handle.pid ?? 0, "SIGKILL");
    expect((await factsUntil(handle, "exit")).map((fact) => fact.kind)).toEqual(["ack", "exit"]);
    expect((await adapter.probe(handle, call.signal)).alive).toBe(false);
    const resumed = await adapter.resume(handle, call);
    expect(resumed.pid).not.toBe(handle.pid as number);
    await adapter.sendPrompt(resumed, ask(resumed), call);
    await adapter.sendPrompt(resumed, ask(resumed, 2), call);
    await factsUntil(resumed, "usage");
    expect(journal(resumed)).toHaveLength(2);
  });

  test("a prompt to a dead agent is reported as undelivered, and waits for the next one", async () => {
    const { handle } = await start();
    process.kill(handle.pid ?? 0, "SIGKILL");
    await factsUntil(handle, "exit");
    await expect(adapter.sendPrompt(handle, ask(handle), call)).rejects.toMatchObject({
      code: "prompt_send_transient",
    });
    await adapter.sendPrompt(handle, ask(handle), call).catch(() => undefined);
    const resumed = await adapter.resume(handle, call);
    await adapter.sendPrompt(resumed, ask(resumed), call);
    await factsUntil(resumed, "idle");
    expect(journal(resumed)).toHaveLength(1);
  });

  test("after a new start, the session keeps its journal and drops its questions", async () => {
    const { handle } = await start();
    await adapter.sendPrompt(handle, ask(handle), call);
    await factsUntil(handle, "idle");
    const anew = await adapter.rebootstrap(handle, call);
    expect(anew.pid).not.toBe(handle.pid as number);
    expect(journal(anew)).toHaveLength(1);
  });
});

test("an interrupted turn writes nothing more", async () => {
  const { handle } = await start({ plan: "permission" });
  const envelope = ask(handle);
  await adapter.sendPrompt(handle, envelope, call);
  const asked = (await factsUntil(handle, "permission")).at(-1);
  await adapter.interrupt(handle, call);
  expect((await adapter.probe(handle, call.signal)).busy).toBe(false);
  // What it waited for arrives: without the interrupt it would write at once.
  await adapter.answerPermission(handle, asked?.kind === "permission" ? asked.permissionId : "", "allow", call);
  await Bun.sleep(300);
  expect(existsSync(envelope.expectedArtifact)).toBe(false);
});

test("its output is reported in order, including the last line", async () => {
  const { handle } = await start();
  await adapter.sendPrompt(handle, ask(handle), call);
  await factsUntil(handle, "idle");
  const end = new AbortController();
  end.abort();
  const said: string[] = [];
  for await (const chunk of adapter.capture(handle, 0, end.signal)) said.push(chunk.content);
  expect(said.join("")).toMatch(/received prompt [\s\S]*wrote .*plan\.json\n$/);
});

test("an agent that cannot start reports why", async () => {
  const broken = createFakeAdapter({
    agentCommand: [process.execPath, "-e", "throw new Error('no luck')", "--"],
    environment: () => home.environment(),
  });
  const { input } = await start();
  const elsewhere = { ...input, folder: `${input.folder}-broken` };
  await expect(broken.start(elsewhere, call)).rejects.toThrow(/no luck/);
});
