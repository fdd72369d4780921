/**
 * The other ACP agents, with a scripted model: 100 to 460 MB each, so only `npm run soak` runs them.
 * `bun test … ./packages/session/tests/acp-agents.soak.ts -t qwen` runs one.
 */
import { describe } from "bun:test";
import { acpAgentOrSkip } from "@devflow/testkit";
import { overAcp } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";

const names = ["qwen", "gemini", "opencode", "claude-agent-acp", "codex-acp"] as const;

for (const name of names) {
  const agent = await acpAgentOrSkip(name);
  describe.skipIf(!agent)(`${name} over ACP`, () => {
    if (agent) agentScenarios(overAcp(agent));
  });
}
