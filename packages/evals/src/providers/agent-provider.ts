/**
 * A coding agent as provider, run headless once per prompt: `claude -p`, `codex exec`.
 *
 * - `agents` what is known about each agent: its arguments, and how to read what it prints.
 * - `agentProvider(settings)` its output is `{ response, tool_calls }`. Without a folder it works in an empty one that is removed
 *   afterwards.
 */
import { runCommand } from "../run-command.ts";
import type { AgentName } from "./agent-names.ts";
import type { AnswerDetails } from "./app-answer.ts";
import { inFolder } from "./in-folder.ts";
import type { ToolCall } from "./model-dialects.ts";
import { promptText } from "./prompt-text.ts";
import { type Provider, type ProviderAnswer, ProviderFault, type ProviderTokens } from "./provider.ts";

interface ReadAgent {
  readonly response: string | undefined;
  readonly toolCalls: readonly ToolCall[];
  readonly tokens: ProviderTokens | undefined;
  readonly costUsd?: number | undefined;
  readonly turns?: number | undefined;
  readonly problem?: string | undefined;
}

interface Agent {
  argv(model: string | undefined): readonly string[];
  read(events: readonly Members[]): ReadAgent;
}

type Members = Readonly<Record<string, unknown>>;

const agents: Readonly<Record<AgentName, Agent>> = {
  claude: {
    argv: (model) => ["-p", "--output-format", "stream-json", "--verbose", ...(model ? ["--model", model] : [])],
    read(events) {
      const result = events.findLast(({ type }) => type === "result") ?? {};
      const blocks = events
        .filter(({ type }) => type === "assistant")
        .flatMap(({ message }) => list(members(message).content).map(members));
      const usage = members(result.usage);
      const isError = result.is_error === true || (result.subtype !== undefined && result.subtype !== "success");
      return {
        response: typeof result.result === "string" ? result.result : undefined,
        toolCalls: blocks
          .filter(({ type }) => type === "tool_use")
          .map(({ name, input }) => ({ name: String(name), input })),
        tokens: tokensOf(
          usage.input_tokens,
          usage.output_tokens,
          usage.cache_read_input_tokens,
          usage.cache_creation_input_tokens,
        ),
        costUsd: amount(result.total_cost_usd),
        turns: amount(result.num_turns),
        problem: isError ? String(result.result ?? result.subtype ?? "it failed") : undefined,
      };
    },
  },
  codex: {
    argv: (model) => ["exec", "--json", "--skip-git-repo-check", ...(model ? ["--model", model] : []), "-"],
    read(events) {
      const items = events.filter(({ type }) => type === "item.completed").map(({ item }) => members(item));
      const turns = events.filter(({ type }) => type === "turn.completed").map(({ usage }) => members(usage));
      const failed = events.findLast(({ type }) => type === "turn.failed" || type === "error");
      const sum = (name: string) => turns.reduce((all, usage) => all + (amount(usage[name]) ?? 0), 0);
      const cached = sum("cached_input_tokens");
      const message = items.findLast(({ type }) => type === "agent_message");
      return {
        response: typeof message?.text === "string" ? message.text : undefined,
        toolCalls: items
          .filter(({ type }) => type === "command_execution" || type === "mcp_tool_call" || type === "file_change")
          .map(({ type, ...item }) => ({
            name: typeof item.tool === "string" ? item.tool : String(type),
            input: item,
          })),
        tokens:
          turns.length === 0 ? undefined : tokensOf(sum("input_tokens") - cached, sum("output_tokens"), cached, 0),
        turns: Math.max(1, turns.length),
        problem:
          failed && !message ? String(failed.message ?? members(failed.error).message ?? "it failed") : undefined,
      };
    },
  },
};

export interface AgentSettings {
  readonly id: string;
  readonly agent: AgentName;
  /** The program; the agent's name by default. */
  readonly program?: string | undefined;
  readonly model: string | undefined;
  /** More arguments, such as those for permissions. */
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

export function agentProvider(settings: AgentSettings): Provider {
  const { id, model, args, env, timeoutMs, cwd } = settings;
  const agent = agents[settings.agent];
  const [first = "", ...rest] = agent.argv(model);
  const argv = [settings.program ?? settings.agent, first, ...args, ...rest];
  const run = async (folder: string, stdin: string, signal: AbortSignal): Promise<ProviderAnswer> => {
    const done = await runCommand(argv, { cwd: folder, env, stdin, timeoutMs, signal });
    signal.throwIfAborted();
    const stdout = "problem" in done ? "" : done.stdout;
    if ("problem" in done) {
      const isMissing = done.problem.includes("could not be started");
      throw new ProviderFault(isMissing ? "misconfigured" : "failed", `${settings.agent}: ${done.problem}`, {
        isTransient: !isMissing,
      });
    }
    const { response, toolCalls, tokens, costUsd, turns, problem } = agent.read(eventsOf(stdout));
    if (problem !== undefined || response === undefined) {
      const why = problem ?? "it ended without an answer";
      throw new ProviderFault("failed", `${settings.agent}: ${why.slice(0, 300)}`, { isTransient: true, tokens });
    }
    const details: AnswerDetails = { turns, model };
    const output = { response, tool_calls: toolCalls };
    return { output, tokens, costUsd, latencyMs: done.durationMs, raw: details };
  };
  return {
    id,
    model,
    call: ({ prompt, signal }) => inFolder(cwd, (folder) => run(folder, promptText(prompt), signal)),
  };
}

/** Agents print other lines too. */
function eventsOf(stdout: string): Members[] {
  return stdout.split("\n").flatMap((line) => {
    try {
      const event: unknown = line.startsWith("{") ? JSON.parse(line) : undefined;
      return event ? [members(event)] : [];
    } catch {
      return [];
    }
  });
}

function tokensOf(input: unknown, output: unknown, read: unknown, written: unknown): ProviderTokens | undefined {
  const tokens = {
    input: Math.max(0, amount(input) ?? 0),
    output: amount(output) ?? 0,
    cacheRead: amount(read) ?? 0,
    cacheWrite: amount(written) ?? 0,
  };
  return Object.values(tokens).some((count) => count > 0) ? tokens : undefined;
}

const members = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const amount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
