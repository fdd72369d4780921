/** The real Claude Code behind pipes, with a scripted model. */
import { describe } from "bun:test";
import { agentsOrSkip } from "@devflow/testkit";
import { claudePipes } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";
import { modelFaults } from "./model-faults.ts";

const isSoak = process.env.DEVFLOW_TEST_SOAK !== undefined;
const agents = await agentsOrSkip();

describe.skipIf(!agents)("Claude Code behind pipes", () => {
  if (!agents) return;
  agentScenarios(claudePipes(agents));
  if (isSoak) modelFaults(claudePipes(agents));
});
