/** The ways in which real agents are driven; the same scenarios run for each. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import {
  acpHome,
  claudeHome,
  codexHome,
  type InstalledAcpAgent,
  type InstalledAgents,
  type ScriptedModel,
} from "@devflow/testkit";
import type { SessionAdapter } from "../src/adapter.ts";
import { findHistory, historyHas } from "../src/claude/claude-history.ts";
import { createHeldAdapter } from "../src/holder/held-adapter.ts";
import { holderCommand, hookCommand, insideCommand } from "./agent-bench.ts";

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
  /** The tool call that replaces the whole content of a file, where `write` makes only new ones. */
  replace?(path: string, before: string, after: string): { name: string; arguments: Record<string, unknown> };
  /** A command that needs a permission. */
  run(command: string): { name: string; arguments: Record<string, unknown> };
  /** It finds no session again that began in the same minute; a run then puts a new one in its place. */
  readonly isLostWhenKilled?: boolean;
  /** Whether its own record of the session has the text; for an agent that writes it some time after asking its model. */
  hasKept?(env: Readonly<Record<string, string>>, agentSessionId: string, text: string): Promise<boolean>;
}

export const claudePipes = (agents: InstalledAgents): AgentKind => ({
  name: "claude",
  adapter({ model, worktree, variables }) {
    const { env } = claudeHome({ model, workspace: worktree });
    return createHeldAdapter({
      wire: "claude",
      command: [agents.claude.executable],
      holderCommand,
      insideCommand,
      environment: () => ({ ...env, ...variables }),
    });
  },
  write: (path, content) => ({ name: "Write", arguments: { file_path: path, content } }),
  run: (command) => ({ name: "Bash", arguments: { command, description: "a command" } }),
  async hasKept(env, agentSessionId, text) {
    const history = await findHistory(env, agentSessionId);
    return history !== undefined && (await historyHas(history, text));
  },
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
      insideCommand,
      environment: () => env,
    });
  },
  write: (path, content) => ({ name: "exec_command", arguments: { cmd: `printf %s '${content}' > ${path}` } }),
  run: (command) => ({ name: "exec_command", arguments: { cmd: command, sandbox_permissions: "require_escalated" } }),
});

/** It would otherwise try for half a minute. */
export const fewRetries = (env: Record<string, string>): void =>
  appendFileSync(join(env.CODEX_HOME ?? "", "config.toml"), "stream_max_retries = 1\nrequest_max_retries = 0\n");

interface OverAcpOptions {
  /** More than its profile. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Added to the environment of one start after the other. */
  readonly starts?: readonly Readonly<Record<string, string>>[];
}

export const overAcp = (agent: InstalledAcpAgent, { settings = {}, starts = [] }: OverAcpOptions = {}): AgentKind => ({
  name: agent.name,
  adapter({ model }) {
    const { env } = acpHome(agent.name, { model });
    const left = [...starts];
    return createHeldAdapter({
      wire: "acp",
      command: agent.command,
      settings: { profile: agent.name, ...settings },
      holderCommand,
      insideCommand,
      environment: () => ({ ...env, ...left.shift() }),
    });
  },
  ...acpTools[agent.name],
  isLostWhenKilled: agent.name === "gemini",
  async hasKept(env, _agentSessionId, text) {
    const folder = acpHistories[agent.name];
    if (folder === undefined) return true;
    // Copilot's workspace.yaml has the first words of a prompt earlier, and does not bring the session back.
    const others = ["--exclude-dir=debug", "--exclude=workspace.yaml"];
    const found = Bun.spawnSync(["grep", "-rqF", ...others, "--", text, join(env.HOME ?? "", folder)]);
    return found.exitCode === 0;
  },
});

/** Where these agents keep their sessions, which they write some time after asking the model. */
const acpHistories: Partial<Record<InstalledAcpAgent["name"], string>> = {
  copilot: ".copilot/session-state",
  gemini: ".gemini/tmp",
  qwen: ".qwen",
  "claude-agent-acp": ".claude/projects",
};

const acpTools: Readonly<Record<InstalledAcpAgent["name"], Pick<AgentKind, "write" | "replace" | "run">>> = {
  copilot: {
    write: (path, content) => ({ name: "create", arguments: { path, file_text: content } }),
    replace: (path, before, after) => ({ name: "edit", arguments: { path, old_str: before, new_str: after } }),
    run: (command) => ({ name: "bash", arguments: { command, description: "a command" } }),
  },
  qwen: {
    write: (path, content) => ({ name: "write_file", arguments: { file_path: path, content } }),
    run: (command) => ({ name: "run_shell_command", arguments: { command, is_background: false } }),
  },
  gemini: {
    write: (path, content) => ({ name: "write_file", arguments: { file_path: path, content } }),
    run: (command) => ({ name: "run_shell_command", arguments: { command, description: "a command" } }),
  },
  opencode: {
    write: (path, content) => ({ name: "write", arguments: { filePath: path, content } }),
    run: (command) => ({ name: "bash", arguments: { command, description: "a command" } }),
  },
  "claude-agent-acp": {
    write: (path, content) => ({ name: "Write", arguments: { file_path: path, content } }),
    run: (command) => ({ name: "Bash", arguments: { command, description: "a command" } }),
  },
  "codex-acp": {
    write: (path, content) => ({
      name: "exec_command",
      arguments: { cmd: patch(`*** Add File: ${path}`, `+${content}`) },
    }),
    replace: (path, before, after) => ({
      name: "exec_command",
      arguments: { cmd: patch(`*** Update File: ${path}`, "@@", `-${before}`, `+${after}`) },
    }),
    run: (command) => ({
      name: "exec_command",
      arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "It writes a file." },
    }),
  },
};

/** Codex takes a patch out of a command and treats it as an edit. */
const patch = (...lines: readonly string[]): string =>
  ["apply_patch <<'EOF'", "*** Begin Patch", ...lines, "*** End Patch", "EOF"].join("\n");

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
      insideCommand,
      environment: () => ({ ...env, ...variables }),
    });
  },
});

export const codexInTmux = (agents: InstalledAgents, { prepare }: CodexOptions = {}): AgentKind => ({
  name: "tmux-codex",
  adapter({ model, worktree, variables }) {
    const { env } = codexHome({ model });
    prepare?.(env, worktree);
    return createHeldAdapter({
      wire: "tmux-codex",
      command: [agents.codex.executable],
      hookCommand,
      holderCommand,
      insideCommand,
      environment: () => ({ ...env, ...variables }),
    });
  },
  write: (path, content) => ({ name: "exec_command", arguments: { cmd: `printf %s '${content}' > ${path}` } }),
  run: (command) => ({
    name: "exec_command",
    arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "a command" },
  }),
});
