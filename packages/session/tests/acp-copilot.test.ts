/** The real Copilot CLI over ACP, with a scripted model. The other ACP agents run in `npm run soak`. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { acpAgentOrSkip, type InstalledAcpAgent, killAt } from "@devflow/testkit";
import { plainLaunch } from "../testing/index.ts";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import { overAcp } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";

const copilot = await acpAgentOrSkip("copilot");

describe.skipIf(!copilot)("Copilot over ACP", () => {
  if (!copilot) return;
  agentScenarios(overAcp(copilot), "core");
  modes(copilot);
  crashes(copilot);
});

const anEnvelope = "/Expected artifact: (?<artifact>\\S+)/";
const create = (path: string) => ({ tools: [{ name: "create", arguments: { path, file_text: '{"ok":true}' } }] });

function modes(agent: InstalledAcpAgent): void {
  test("an agent without the wanted mode is not used; the message names its modes, and no process is left", async () => {
    const kind = overAcp(agent, { settings: { mode: "ask-me" } });
    await using bench = await openAgentBench(kind, { otherwise: { text: "Done." } });
    const failed = await bench.start().catch((error: Error) => error);
    expect(String(failed)).toContain("it has no mode ask-me. Set `mode` in its definition");
    expect(String(failed)).toContain("session-modes#agent");
    expect(bench.model.requests).toEqual([]);
  });

  test("a role that may not edit asks before it changes the worktree", async () => {
    const kind = overAcp(agent);
    await using bench = await openAgentBench(kind, {
      steps: [
        {
          match: { userText: anEnvelope, toolResult: false },
          answer: create("$<artifact>.txt"),
        },
        { match: { toolResult: true }, answer: { text: "Done." } },
      ],
      otherwise: { text: "Done." },
    });
    const launch = { ...plainLaunch, mayEdit: false };
    const handle = await bench.start({ launch, writableFolders: [], cwd: bench.artifacts });
    const envelope = bench.ask(handle);
    await bench.adapter.sendPrompt(handle, envelope, call);
    const asked = (await bench.factsUntil(handle, ({ kind: one }) => one === "permission")).at(-1);
    if (asked?.kind !== "permission") throw new Error("no permission was asked for");
    expect(asked).toMatchObject({
      tool: "edit",
      detail: `${envelope.expectedArtifact}.txt`,
      covers: "edit in the worktree",
    });
    await bench.adapter.answerPermission(handle, asked.permissionId, "deny", call);
    await bench.factsUntil(handle, isIdle);
    expect(existsSync(`${envelope.expectedArtifact}.txt`)).toBe(false);
  });
}

function crashes(agent: InstalledAcpAgent): void {
  const ok = [
    { match: { userText: anEnvelope, toolResult: false }, answer: create("$<artifact>") },
    { match: { toolResult: true }, answer: { text: "Done." } },
  ];

  const points = [
    ["before it sent the prompt", "after_prompt_journaled"],
    ["right after the agent read the prompt", "after_prompt_confirmed"],
  ] as const;
  for (const [when, point] of points)
    test(`a holder is killed ${when}: resumed, the agent works on it once`, async () => {
      const kind = overAcp(agent, { starts: [killAt(point)] });
      await using bench = await openAgentBench(kind, { steps: ok });
      const handle = await bench.start();
      const envelope = bench.ask(handle);
      const failed = await bench.adapter.sendPrompt(handle, envelope, call).catch((error: Error) => error);
      expect(failed).toMatchObject({ code: "prompt_send_transient" });
      const resumed = await bench.adapter.resume(handle, call);
      await bench.adapter.sendPrompt(resumed, envelope, call);
      const facts = await bench.factsUntil(resumed, isIdle);
      expect(facts.at(-1)).toMatchObject({ outcome: "done" });
      const asked = bench.model.requests.filter(({ toolResults }) => toolResults.length === 0);
      expect(asked.map(({ lastUserText }) => lastUserText.split(envelope.uuid).length - 1)).toEqual([2]);
      expect(bench.seen("PRELUDE:")).toBe(1);
      expect(existsSync(envelope.expectedArtifact)).toBe(true);
    });
}
