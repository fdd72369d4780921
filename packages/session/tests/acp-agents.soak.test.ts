/**
 * The other ACP agents, with a scripted model: 100 to 460 MB each, so only `npm run soak` runs them.
 * `DEVFLOW_TEST_SOAK=first bun test … -t qwen` runs one.
 */
import { describe, test } from "bun:test";
import { acpAgentOrSkip } from "@devflow/testkit";
import { overAcp } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";

const names = ["qwen", "gemini", "opencode", "claude-agent-acp", "codex-acp"] as const;

if (process.env.DEVFLOW_TEST_SOAK === undefined) test.todo("run by npm run soak", () => {});
else
  for (const name of names) {
    const agent = await acpAgentOrSkip(name);
    describe.skipIf(!agent)(`${name} over ACP`, () => {
      if (agent) agentScenarios(overAcp(agent));
    });
  }
