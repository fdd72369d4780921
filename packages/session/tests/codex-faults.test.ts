/** The real Codex when its model, its holder or its process fails. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { agentsOrSkip, expectNoLeaks, type InstalledAgents, killAt } from "@devflow/testkit";
import { readAgentFile } from "../src/holder/agent-file.ts";
import { plainLaunch } from "../testing/index.ts";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import { codexServer, fewRetries } from "./agent-kinds.ts";
import { ends, escalated, shell, writesAtOnce } from "./codex-answers.ts";
import { modelFaults } from "./model-faults.ts";

const agents = await agentsOrSkip();

describe.skipIf(!agents)("Codex behind its app server", () => {
  if (agents) faults(agents);
});

function faults(installed: InstalledAgents): void {
  for (const [point, outcome] of [
    ["after_prompt_journaled", "done"],
    ["after_prompt_confirmed", "interrupted"],
  ] as const) {
    test(`its holder killed at ${point}, the prompt is in one message`, async () => {
      let env: Record<string, string> = {};
      const prepare = (made: Record<string, string>) => {
        env = Object.assign(made, killAt(point));
      };
      await using bench = await openAgentBench(codexServer(installed, { prepare }), {
        steps: [
          { ...writesAtOnce, times: 3 },
          { ...ends, times: 3 },
        ],
      });
      const handle = await bench.start();
      const first = bench.ask(handle);
      await expect(bench.adapter.sendPrompt(handle, first, call)).rejects.toMatchObject({
        code: "prompt_send_transient",
      });
      delete env.DEVFLOW_FAULT;
      const resumed = await bench.adapter.resume(handle, call);
      await bench.adapter.sendPrompt(resumed, first, call);
      const facts = await bench.factsUntil(resumed, isIdle);
      expect(facts.at(-1)).toMatchObject({ outcome, dedupKey: first.dedupKey });
      const second = bench.ask(resumed, { attempt: 2 });
      await bench.adapter.sendPrompt(resumed, second, call);
      await bench.factsUntil(resumed, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
      expect([first, second].map(({ uuid }) => bench.seen(`DEVFLOW_PROMPT_BEGIN ${uuid}`))).toEqual([1, 1]);
    });
  }

  for (const how of ["disposed", "killed", "left by its holder"] as const) {
    test(`the commands of an agent that is ${how} end with it, also behind npm's wrapper`, async () => {
      const command = join(installed.codex.binFolder, "codex");
      const kind = codexServer(installed, {
        command,
        // The wrapper is a program of Node.
        prepare: (env) => void Object.assign(env, { PATH: `${env.PATH}:${process.env.PATH}` }),
      });
      await using bench = await openAgentBench(kind, {
        steps: [
          { match: { toolResult: false }, answer: shell("sleep 1001", { yield_time_ms: 250 }) },
          { answer: shell("sleep 1002", { ...escalated, yield_time_ms: 250, tty: true }) },
          { answer: { text: "thinking", hang: true } },
        ],
      });
      const handle = await bench.start({ launch: { ...plainLaunch, allowedCommands: ["sleep 1002"] } });
      await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
      await bench.model.waitFor(({ toolResults }) => toolResults.some(({ text }) => text.includes("session ID")));
      await bench.model.waitFor(({ step }) => step === "step 3");
      const agent = readAgentFile(join(handle.folder, "agent.json"));
      if (how === "disposed") await bench.adapter.dispose(handle, call);
      else process.kill((how === "killed" ? agent.pid : handle.pid) ?? 0, "SIGKILL");
      await expectNoLeaks(5_000);
    });
  }

  test("an interrupt while a permission waits ends the turn, and the command never runs", async () => {
    await using bench = await openAgentBench(codexServer(installed), {
      steps: [{ match: { userText: "Attempt: 1" }, answer: shell("touch late.txt", escalated) }, writesAtOnce, ends],
    });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    const asked = (await bench.factsUntil(handle, ({ kind }) => kind === "permission")).at(-1);
    await bench.adapter.interrupt(handle, call);
    if (asked?.kind === "permission") await bench.adapter.answerPermission(handle, asked.permissionId, "allow", call);
    const second = bench.ask(handle, { attempt: 2 });
    await bench.adapter.sendPrompt(handle, second, call);
    const facts = await bench.factsUntil(handle, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
    expect(facts.filter(isIdle)).toMatchObject([{ outcome: "interrupted" }, { outcome: "done" }]);
    expect([existsSync(join(bench.worktree, "late.txt")), existsSync(second.expectedArtifact)]).toEqual([false, true]);
  });

  test("a model that hangs keeps the turn open, and the agent can be ended", async () => {
    await using bench = await openAgentBench(codexServer(installed), { otherwise: { text: "thinking", hang: true } });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    await bench.model.waitFor(() => true);
    expect(await bench.adapter.probe(handle, call.signal)).toMatchObject({ alive: true, busy: true });
    await bench.adapter.dispose(handle, call);
    await bench.model.waitFor(({ outcome }) => outcome === "client went away");
    await expectNoLeaks(5_000);
  });

  modelFaults(codexServer(installed, { prepare: fewRetries }));
}
