/**
 * A backend of runs as provider: any agent that the machine's person has added for runs.
 *
 * - `AskAgent` the port: one question to one agent. The command line implements it; evals do not know how agents are driven.
 * - `askedAgentProvider(settings)` its output is `{ response, tool_calls }`. Without a folder it works in an empty one that is
 *   removed afterwards.
 */
import type { AnswerDetails } from "./app-answer.ts";
import { inFolder } from "./in-folder.ts";
import { promptText } from "./prompt-text.ts";
import { type Provider, type ProviderAnswer, ProviderFault, type ProviderTokens } from "./provider.ts";

export type AskAgent = (question: AgentQuestion) => Promise<AgentReply>;

export interface AgentQuestion {
  readonly prompt: string;
  readonly cwd: string;
  readonly model: string | undefined;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
}

export interface AgentReply {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage: readonly AgentUsage[];
}

interface AgentUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd: number | null;
}

export interface AskedAgentSettings {
  readonly id: string;
  readonly ask: AskAgent;
  readonly model: string | undefined;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly timeoutMs: number;
}

export function askedAgentProvider({ id, ask, model, args, cwd, timeoutMs }: AskedAgentSettings): Provider {
  return {
    id,
    model,
    async call({ prompt, signal }) {
      const limit = AbortSignal.timeout(timeoutMs);
      const began = performance.now();
      try {
        const reply = await inFolder(cwd, (folder) =>
          ask({
            ...{ prompt: promptText(prompt), cwd: folder, model, args },
            signal: AbortSignal.any([signal, limit]),
          }),
        );
        return answerOf(reply, Math.round(performance.now() - began));
      } catch (cause) {
        signal.throwIfAborted();
        const why = limit.aborted ? `it gave no answer within ${timeoutMs / 1000} s` : (cause as Error).message;
        throw new ProviderFault("failed", `${id}: ${why.slice(0, 300)}`, { isTransient: true, cause });
      }
    },
  };
}

function answerOf({ text, toolCalls, usage }: AgentReply, latencyMs: number): ProviderAnswer {
  const sum = (of: (one: AgentUsage) => number) => usage.reduce((all, one) => all + of(one), 0);
  const tokens: ProviderTokens = {
    input: sum((one) => one.inputTokens),
    output: sum((one) => one.outputTokens),
    cacheRead: sum((one) => one.cacheReadTokens),
    cacheWrite: sum((one) => one.cacheWriteTokens),
  };
  const isPaid = usage.length > 0 && usage.every(({ costUsd }) => costUsd !== null);
  const details: AnswerDetails = { turns: undefined, model: usage[0]?.model };
  return {
    output: { response: text, tool_calls: toolCalls },
    tokens: usage.length > 0 ? tokens : undefined,
    costUsd: isPaid ? sum(({ costUsd }) => costUsd ?? 0) : undefined,
    latencyMs,
    raw: details,
  };
}
