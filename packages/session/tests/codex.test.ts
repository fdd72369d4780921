/** The real Codex behind its app server, with a scripted model. */
import { describe } from "bun:test";
import { agentsOrSkip } from "@devflow/testkit";
import { codexServer } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";

const agents = await agentsOrSkip();

describe.skipIf(!agents)("Codex behind its app server", () => {
  if (agents) agentScenarios(codexServer(agents));
});
