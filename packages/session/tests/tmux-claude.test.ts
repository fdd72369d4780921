/** The real Claude Code in a terminal, with a scripted model. */
import { describe } from "bun:test";
import { agentsOrSkip, canRun, lackOfProgram } from "@devflow/testkit";
import { claudeInTmux } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";
import { terminalScenarios } from "./terminal-scenarios.ts";

const agents = await agentsOrSkip();
const hasTmux = await canRun("the tests of Claude Code in tmux", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

describe.skipIf(!agents || !hasTmux)("Claude Code in tmux", () => {
  if (!agents) return;
  agentScenarios(claudeInTmux(agents));
  terminalScenarios(claudeInTmux(agents));
});
