/** The ways in which real agents are driven; the same scenarios run for each. */
import { claudeHome, codexHome, type InstalledAgents, type ScriptedModel } from "@devflow/testkit";
import type { SessionAdapter } from "../src/adapter.ts";
import { createHeldAdapter } from "../src/holder/held-adapter.ts";
import { holderCommand, hookCommand } from "./agent-bench.ts";

interface AdapterOptions {
  readonly model: ScriptedModel;
  readonly worktree: string;
  /** More variables for holders; read at each start. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface AgentKind {
  readonly name: string;
  adapter(options: AdapterOptions): SessionAdapter;
  /** The tool call that writes a file, as this agent's model makes it. */
  write(path: string, content: string): { name: string; arguments: Record<string, unknown> };
  /** A command that needs a permission. */
  run(command: string): { name: string; arguments: Record<string, unknown> };
}

export const claudePipes = (agents: InstalledAgents): AgentKind => ({
  name: "claude",
  adapter({ model, worktree, variables }) {
    const { env } = claudeHome({ model, workspace: worktree });
    return createHeldAdapter({
      wire: "claude",
      command: [agents.claude.executable],
      holderCommand,
      environment: () => ({ ...env, ...variables }),
    });
  },
  write: (path, content) => ({ name: "Write", arguments: { file_path: path, content } }),
  run: (command) => ({ name: "Bash", arguments: { command, description: "a command" } }),
});

export const claudeInTmux = (agents: InstalledAgents): AgentKind => ({
  ...claudePipes(agents),
  name: "tmux-claude",
  adapter({ model, variables }) {
    // The worktree is not trusted, as on a person's machine.
    const { env } = claudeHome({ model });
    return createHeldAdapter({
      wire: "tmux-claude",
      command: [agents.claude.executable],
      hookCommand,
      holderCommand,
      environment: () => ({ ...env, ...variables }),
    });
  },
});

export const codexInTmux = (agents: InstalledAgents): AgentKind => ({
  name: "tmux-codex",
  adapter({ model, variables }) {
    const { env } = codexHome({ model });
    return createHeldAdapter({
      wire: "tmux-codex",
      command: [agents.codex.executable],
      hookCommand,
      holderCommand,
      environment: () => ({ ...env, ...variables }),
    });
  },
  write: (path, content) => ({ name: "exec_command", arguments: { cmd: `printf %s '${content}' > ${path}` } }),
  run: (command) => ({
    name: "exec_command",
    arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "a command" },
  }),
});
