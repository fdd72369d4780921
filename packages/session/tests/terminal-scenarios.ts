/**
 * What is particular to agents in a terminal: a person may use it, and it may die on its own. Called once per kind of agent
 * by `tmux-<kind>.test.ts`.
 */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expectNoLeaks, killAt, type ScenarioInput } from "@devflow/testkit";
import type { SessionFact, SessionHandle } from "../src/adapter.ts";
import { readAgentFile } from "../src/holder/agent-file.ts";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import type { AgentKind } from "./agent-kinds.ts";
import { attach, inTmux } from "./person-at-terminal.ts";

const anEnvelope = "/Expected artifact: (?<artifact>\\S+)/";

const isSoak = process.env.DEVFLOW_TEST_SOAK !== undefined;

/** Those that start several terminals or wait for long run in `npm run soak` only. */
export function terminalScenarios(kind: AgentKind): void {
  const further: (name: string, body: () => Promise<void>) => void = isSoak
    ? (name, body) => test(name, body)
    : () => undefined;
  const open = (scenario: ScenarioInput) => openAgentBench(kind, scenario);
  const writes = (content: string) => ({ tools: [kind.write("$<artifact>", content)] });
  const ok = [
    { match: { userText: anEnvelope, toolResult: false }, answer: writes('{"ok":true}') },
    { match: { toolResult: true }, answer: { text: "It is written." } },
  ];
  const done = (dedupKey: string) => (fact: SessionFact) => fact.kind === "idle" && fact.dedupKey === dedupKey;

  further("its tmux server killed in a turn, the agent is continued with its history", async () => {
    await using bench = await open({
      steps: [{ match: { userText: "/Attempt: 1[\\s\\S]*/" }, answer: { text: "thinking", hang: true } }, ...ok],
    });
    const handle = await bench.start();
    const first = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, first, call);
    await bench.model.waitFor(({ isBackground }) => !isBackground);
    await bench.kept(handle, first.uuid);
    process.kill(serverPid(handle), "SIGKILL");
    await bench.factsUntil(handle, ({ kind: one }) => one === "exit");
    const resumed = await bench.adapter.resume(handle, call);
    expect(resumed).toMatchObject({ agentSessionId: handle.agentSessionId, tmuxSession: handle.tmuxSession });
    const second = bench.ask(resumed, { attempt: 2 });
    await bench.adapter.sendPrompt(resumed, second, call);
    await bench.factsUntil(resumed, done(second.dedupKey));
    expect([first, second].map(({ uuid }) => bench.seen(`DEVFLOW_PROMPT_BEGIN ${uuid}`))).toEqual([1, 1]);
  });

  test("a prompt waits while a person types, and what they send is no acknowledgement", async () => {
    await using bench = await open({
      steps: [{ match: { userText: "/^by hand$/" }, answer: { text: "Answer to the person." } }, ...ok],
    });
    const handle = await bench.start();
    await using person = await attach(handle);
    await person.write("by ");
    const envelope = bench.ask(handle);
    const sent = bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, ({ kind: one }) => one === "person_typing");
    await person.write("hand");
    await person.enter();
    const answered = await bench.model.waitFor(({ lastUserText }) => lastUserText === "by hand");
    expect(bench.seen(envelope.uuid)).toBe(0);
    await sent;
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.filter(({ kind: one }) => one === "ack")).toHaveLength(1);
    expect(JSON.parse(readFileSync(envelope.expectedArtifact, "utf8"))).toEqual({ ok: true });
    expect(JSON.stringify(answered.body)).not.toContain(envelope.uuid);
    expect(bench.seen(`DEVFLOW_PROMPT_BEGIN ${envelope.uuid}`)).toBe(1);
  });

  test("a prompt that is due while the agent asks for a permission waits for the answer", async () => {
    await using bench = await open({
      steps: [
        {
          match: { userText: "/^by hand$/", toolResult: false },
          answer: { tools: [kind.run("bash -c 'echo > by-hand'")] },
        },
        { match: { toolResult: true }, answer: { text: "Done by hand." } },
        ...ok,
      ],
    });
    const handle = await bench.start();
    {
      await using person = await attach(handle);
      await person.write("by hand");
      await person.enter();
      await bench.factsUntil(handle, ({ kind: one }) => one === "permission");
    }
    const envelope = bench.ask(handle);
    const sent = bench.adapter.sendPrompt(handle, envelope, call);
    const facts = await bench.factsUntil(handle, ({ kind: one }) => one === "person_typing");
    await pause(2_000);
    expect(existsSync(join(bench.worktree, "by-hand"))).toBe(false);
    const asked = facts.find((fact) => fact.kind === "permission");
    if (asked?.kind !== "permission") throw new Error("no permission was asked for");
    await bench.adapter.answerPermission(handle, asked.permissionId, "deny", call);
    await sent;
    await bench.factsUntil(handle, isIdle);
    expect(existsSync(join(bench.worktree, "by-hand"))).toBe(false);
    expect(bench.seen(`DEVFLOW_PROMPT_BEGIN ${envelope.uuid}`)).toBe(1);
    expect(JSON.parse(readFileSync(envelope.expectedArtifact, "utf8"))).toEqual({ ok: true });
  });

  test("interrupted while it asks for a permission, the turn ends and nothing is run", async () => {
    await using bench = await open({
      steps: [{ answer: { tools: [kind.run("bash -c 'echo > asked.txt'")] } }, ...ok],
      otherwise: { text: "Done." },
    });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    await bench.factsUntil(handle, ({ kind: one }) => one === "permission");
    await bench.adapter.interrupt(handle, call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.at(-1)).toMatchObject({ outcome: "interrupted" });
    expect(await bench.adapter.probe(handle, call.signal)).toMatchObject({ alive: true, busy: false });
    expect(existsSync(join(bench.worktree, "asked.txt"))).toBe(false);
  });

  further("its holder killed between paste and Enter, the prompt is sent once", async () => {
    await using bench = await open({ steps: ok });
    Object.assign(bench.variables, killAt("after_prompt_pasted"));
    const handle = await bench.start();
    const envelope = bench.ask(handle);
    await expect(bench.adapter.sendPrompt(handle, envelope, call)).rejects.toMatchObject({
      code: "prompt_send_transient",
    });
    delete bench.variables.DEVFLOW_FAULT;
    const resumed = await bench.adapter.resume(handle, call);
    await bench.adapter.sendPrompt(resumed, envelope, call);
    await bench.factsUntil(resumed, isIdle);
    expect(bench.seen(`DEVFLOW_PROMPT_BEGIN ${envelope.uuid}`)).toBe(1);
    expect(JSON.parse(readFileSync(envelope.expectedArtifact, "utf8"))).toEqual({ ok: true });
  });

  further("a prompt cannot press keys, and no variable reaches an argument or the tmux server", async () => {
    await using bench = await open({ steps: ok });
    const handle = await bench.start();
    const pid = readAgentFile(join(handle.folder, "agent.json")).pid ?? 0;
    const token = `dfs_${handle.sessionId}`;
    const read = (file: string) => readFileSync(file, "utf8");
    expect(read(`/proc/${pid}/environ`)).toContain(token);
    expect(read(`/proc/${serverPid(handle)}/environ`)).not.toContain(token);
    expect(inTmux(handle, "show-environment", "-g")).not.toContain(token);
    expect(read(`/proc/${pid}/cmdline`)).not.toContain(token);
    const envelope = bench.ask(handle, { instructions: "Plan it.\u001b[201~\r\u0003\u0003\u0004 And more." });
    await bench.adapter.sendPrompt(handle, envelope, call);
    await bench.factsUntil(handle, isIdle);
    expect(bench.seen("Plan it.[201~")).toBe(1);
    expect(bench.seen(`DEVFLOW_PROMPT_END ${envelope.uuid}`)).toBe(1);
  });

  further("a turn that fails on errors of the model ends as failed, with the reason", async () => {
    await using bench = await open({ steps: [{ times: "always", answer: { error: 529 } }] });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    const facts = await bench.factsUntil(handle, isIdle);
    expect(facts.at(-1)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("529") });
  });

  further("disposed without its holder, nothing is left running", async () => {
    await using bench = await open({ steps: ok });
    const handle = await bench.start();
    process.kill(handle.pid ?? 0, "SIGKILL");
    await bench.factsUntil(handle, ({ kind: one }) => one === "exit");
    expect(inTmux(handle, "list-sessions")).toContain(handle.tmuxSession as string);
    await bench.adapter.dispose(handle, call);
    expect(existsSync(handle.tmuxSocket as string)).toBe(false);
    await bench.model.close();
    await expectNoLeaks();
  });
}

const serverPid = (handle: SessionHandle): number => Number(inTmux(handle, "display-message", "-p", "#{pid}"));
