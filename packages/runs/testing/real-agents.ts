/**
 * The real agents that whole runs are tested with, each as the engine drives it, with a scripted model.
 *
 * - `realAgents()` Claude Code and Codex behind pipes and in tmux, and Copilot over ACP: those that this machine has.
 *
 * Their titles are those of the scenarios in `packages/session/tests`: `npm run soak` makes one table of all of them.
 */
import {
  acpAgentOrSkip,
  acpHome,
  agentsOrSkip,
  canRun,
  claudeHome,
  codexHome,
  type InstalledAcpAgent,
  type InstalledAgents,
  lackOfProgram,
  type ScriptedModel,
} from "@devflow/testkit";
import type { DrivenAgent } from "../src/agents/driven-agent.ts";

export interface RealAgent {
  readonly title: string;
  /** A start takes about a second. */
  readonly isQuick: boolean;
  /** Its requests do not tell the model which conversation they are of, so a scenario cannot count them by conversation. */
  readonly isAnonymous?: boolean;
  readonly driven: DrivenAgent;
  /** The environment in which it uses this model only. */
  home(model: ScriptedModel): Record<string, string>;
  /** The tool call that writes a new file, as its model makes it. */
  write(path: string, content: string): { name: string; arguments: Record<string, unknown> };
}

export async function realAgents(): Promise<readonly RealAgent[]> {
  const agents = await agentsOrSkip();
  const copilot = await acpAgentOrSkip("copilot");
  const hasTmux = await canRun("runs with agents in tmux", () =>
    lackOfProgram("tmux", "-V", "apt-get install tmux, dnf install tmux or brew install tmux"),
  );
  return [
    ...(agents ? [claude(agents, "Claude Code behind pipes", "claude")] : []),
    ...(agents && hasTmux ? [claude(agents, "Claude Code in tmux", "tmux-claude")] : []),
    ...(agents ? [codex(agents, "Codex behind its app server", "codex")] : []),
    ...(agents && hasTmux ? [codex(agents, "Codex in tmux", "tmux-codex")] : []),
    ...(copilot ? [overAcp(copilot)] : []),
  ];
}

export const claude = (agents: InstalledAgents, title: string, adapter: "claude" | "tmux-claude"): RealAgent => ({
  title,
  isQuick: adapter === "claude",
  driven: {
    backend: "claude",
    available: true,
    adapters: [{ name: adapter, wire: adapter }],
    command: [agents.claude.executable],
    variables: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*"],
  },
  home: (model) => claudeHome({ model }).env,
  write: (path, content) => ({ name: "Write", arguments: { file_path: path, content } }),
});

export const codex = (agents: InstalledAgents, title: string, adapter: "codex" | "tmux-codex"): RealAgent => ({
  title,
  isQuick: adapter === "codex",
  driven: {
    backend: "codex",
    available: true,
    adapters: [{ name: adapter, wire: adapter }],
    command: [agents.codex.executable],
    variables: ["CODEX_*", "SCRIPTED_MODEL_KEY"],
  },
  home: (model) => codexHome({ model }).env,
  write: (path, content) => ({ name: "exec_command", arguments: { cmd: `cat > ${path} <<'EOF'\n${content}\nEOF` } }),
});

const overAcp = ({ command }: InstalledAcpAgent): RealAgent => ({
  title: "Copilot over ACP",
  isQuick: false,
  isAnonymous: true,
  driven: {
    backend: "copilot",
    available: true,
    adapters: [{ name: "copilot", wire: "acp" }],
    command,
    variables: ["COPILOT_*"],
    settings: { profile: "copilot" },
  },
  home: (model) => acpHome("copilot", { model }).env,
  write: (path, content) => ({ name: "create", arguments: { path, file_text: content } }),
});
