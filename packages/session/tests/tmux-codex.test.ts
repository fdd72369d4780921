/** The real Codex in a terminal, with a scripted model. */
import { describe } from "bun:test";
import { agentsOrSkip, canRun, lackOfProgram } from "@devflow/testkit";
import { codexInTmux } from "./agent-kinds.ts";
import { agentScenarios } from "./agent-scenarios.ts";
import { terminalScenarios } from "./terminal-scenarios.ts";

const agents = await agentsOrSkip();
const hasTmux = await canRun("the tests of Codex in tmux", () =>
  lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
);

describe.skipIf(!agents || !hasTmux)("Codex in tmux", () => {
  if (!agents) return;
  agentScenarios(codexInTmux(agents));
  terminalScenarios(codexInTmux(agents));
});
