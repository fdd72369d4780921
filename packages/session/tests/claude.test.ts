/** The real Claude Code behind pipes, with a scripted model. */
import { describe } from "bun:test";
import { agentsOrSkip } from "@devflow/testkit";
import { claudePipes } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";

const agents = await agentsOrSkip();

describe.skipIf(!agents)("Claude Code behind pipes", () => {
  if (agents) agentScenarios(claudePipes(agents));
});
