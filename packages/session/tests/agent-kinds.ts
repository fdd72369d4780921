/** The ways in which real agents are driven; the same scenarios run for each. */
import { claudeHome, codexHome, type InstalledAgents, type ScriptedModel } from "@devflow/testkit";
import type { SessionAdapter } from "../src/adapter.ts";
import { createHeldAdapter } from "../src/holder/held-adapter.ts";
import { holderCommand } from "./agent-bench.ts";

export interface AgentKind {
  readonly name: string;
  adapter(options: { readonly model: ScriptedModel; readonly worktree: string }): SessionAdapter;
  /** The tool call that writes a file, as this agent's model makes it. */
  write(path: string, content: string): { name: string; arguments: Record<string, unknown> };
  /** A command that needs a permission. */
  run(command: string): { name: string; arguments: Record<string, unknown> };
}

export const claudePipes = (agents: InstalledAgents): AgentKind => ({
  name: "claude",
  adapter({ model, worktree }) {
    const { env } = claudeHome({ model, workspace: worktree });
    return createHeldAdapter({
      wire: "claude",
      command: [agents.claude.executable],
      holderCommand,
      environment: () => env,
    });
  },
  write: (path, content) => ({ name: "Write", arguments: { file_path: path, content } }),
  run: (command) => ({ name: "Bash", arguments: { command, description: "a command" } }),
});

interface CodexOptions {
  /** Changes its environment, or what is in its CODEX_HOME. */
  prepare?(env: Record<string, string>, worktree: string): void;
  readonly command?: string;
}

export const codexServer = (agents: InstalledAgents, { prepare, command }: CodexOptions = {}): AgentKind => ({
  name: "codex",
  adapter({ model, worktree }) {
    const { env } = codexHome({ model });
    prepare?.(env, worktree);
    return createHeldAdapter({
      wire: "codex",
      command: [command ?? agents.codex.executable],
      holderCommand,
      environment: () => env,
    });
  },
  write: (path, content) => ({ name: "exec_command", arguments: { cmd: `printf %s '${content}' > ${path}` } }),
  run: (command) => ({ name: "exec_command", arguments: { cmd: command, sandbox_permissions: "require_escalated" } }),
});
