/** The real Claude Code in a terminal, with a scripted model. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { agentsOrSkip, canRun, lackOfProgram, temporaryFolder } from "@devflow/testkit";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import { claudeInTmux } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";
import { modelFaults } from "./model-faults.ts";
import { attach } from "./person-at-terminal.ts";
import { terminalScenarios } from "./terminal-scenarios.ts";

const isSoak = process.env.DEVFLOW_TEST_SOAK !== undefined;
const agents = await agentsOrSkip();
const hasTmux = await canRun("the tests of Claude Code in tmux", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

describe.skipIf(!agents || !hasTmux)("Claude Code in tmux", () => {
  if (!agents) return;
  const kind = claudeInTmux(agents);
  agentScenarios(kind, "core");
  terminalScenarios(kind);
  if (isSoak) modelFaults(kind);

  test("a permission that a person answers at the terminal needs no other answer", async () => {
    await using bench = await openAgentBench(kind, {
      steps: [
        { match: { toolResult: false }, answer: { tools: [kind.run("bash -c 'echo > allowed.txt'")] } },
        { match: { toolResult: true }, answer: { text: "Done." } },
      ],
      otherwise: { text: "Done." },
    });
    const handle = await bench.start();
    await bench.adapter.sendPrompt(handle, bench.ask(handle), call);
    const asked = (await bench.factsUntil(handle, (fact) => fact.kind === "permission")).at(-1);
    if (asked?.kind !== "permission") throw new Error("no permission was asked for");
    await using person = await attach(handle);
    await person.answer("1. Yes", "1");
    const facts = await bench.factsUntil(handle, isIdle);
    await bench.adapter.answerPermission(handle, asked.permissionId, "deny", call);
    expect(existsSync(join(bench.worktree, "allowed.txt"))).toBe(true);
    expect(facts.some((fact) => fact.kind === "permission_answered")).toBe(false);
  });

  test("a user who never started it gets the reason", async () => {
    await using bench = await openAgentBench(kind, { otherwise: { text: "Hello." } });
    bench.variables.HOME = temporaryFolder();
    await expect(bench.start()).rejects.toMatchObject({
      code: "session_start_failed",
      details: { reason: expect.stringMatching(/^Claude Code /) },
    });
  });
});
