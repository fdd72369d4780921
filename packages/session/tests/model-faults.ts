/**
 * What every adapter must do when the agent's model fails and goes on failing. Agents that try for minutes are told to give up
 * sooner. Called by `<kind>.test.ts`.
 */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { call, isIdle, openAgentBench } from "./agent-bench.ts";
import type { AgentKind } from "./agent-kinds.ts";

const failing = {
  "500": { error: { status: 500 } },
  "529": { error: { status: 529 } },
  "429": { error: { status: 429 } },
  "a cut stream": { text: ["half ", "a sentence"], malformed: "cut" as const },
};

export function modelFaults(kind: AgentKind): void {
  for (const [name, answer] of Object.entries(failing)) {
    test(`a model that always answers with ${name}: the turn ends without its file, and the next prompt is answered`, async () => {
      await using bench = await openAgentBench(kind, {
        steps: [
          {
            // First: an agent may put both prompts into one message when the first was not answered.
            match: { userText: "/Attempt: 2[\\s\\S]*Expected artifact: (?<artifact>\\S+)/", toolResult: false },
            answer: { tools: [kind.write("$<artifact>", '{"ok":true}')] },
          },
          { match: { toolResult: true }, answer: { text: "Done." } },
          { match: { userText: "Attempt: 1" }, times: "always", answer },
        ],
      });
      bench.variables.CLAUDE_CODE_MAX_RETRIES = "1";
      const handle = await bench.start();
      const [first, second] = [bench.ask(handle), bench.ask(handle, { attempt: 2 })];
      await bench.adapter.sendPrompt(handle, first, call);
      const facts = await bench.factsUntil(handle, isIdle);
      const [ended] = facts.filter((fact) => fact.kind === "idle");
      // Claude Code calls half a sentence a success: only the file tells.
      if (ended?.outcome === "done") expect(name).toBe("a cut stream");
      else expect(ended).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/./) });
      if (name === "429" && !kind.name.startsWith("tmux-"))
        expect(facts.some((fact) => fact.kind === "rate_limit")).toBe(true);
      expect(existsSync(first.expectedArtifact)).toBe(false);
      await bench.adapter.sendPrompt(handle, second, call);
      await bench.factsUntil(handle, (fact) => fact.kind === "idle" && fact.dedupKey === second.dedupKey);
      expect(existsSync(second.expectedArtifact)).toBe(true);
    });
  }
}
