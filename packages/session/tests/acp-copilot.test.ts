/** The real Copilot CLI over ACP, with a scripted model. The other ACP agents run in `npm run soak`. */
import { describe } from "bun:test";
import { acpAgentOrSkip } from "@devflow/testkit";
import { overAcp } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";

const copilot = await acpAgentOrSkip("copilot");

describe.skipIf(!copilot)("Copilot over ACP", () => {
  if (copilot) agentScenarios(overAcp(copilot), "core");
});
