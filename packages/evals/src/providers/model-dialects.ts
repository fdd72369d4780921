/**
 * Three APIs of models, as pure translations: Anthropic Messages, OpenAI Responses, and chat completions, which most
 * compatible servers support.
 *
 * - `dialects[name].request(ask)` path, headers and body of a request.
 * - `dialects[name].answer(json)` text, tool calls, tokens and the reason why the model stopped.
 */
import type { Secret } from "@devflow/core/secret";
import type { ChatMessage, ProviderTokens } from "./provider.ts";

export const dialectNames = ["anthropic", "openai", "openai-chat"] as const;
export type DialectName = (typeof dialectNames)[number];

export interface ModelAsk {
  readonly model: string;
  readonly prompt: string | readonly ChatMessage[];
  readonly key: Secret | undefined;
  readonly maxTokens: number;
  readonly temperature: number | undefined;
  /** In the provider's own format. */
  readonly tools: readonly unknown[];
}

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface DialectAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly tokens: ProviderTokens | undefined;
  readonly finishReason: string | undefined;
}

interface Dialect {
  readonly baseUrl: string;
  readonly keyName: string;
  readonly baseUrlName: string;
  request(ask: ModelAsk): { path: string; headers: Record<string, string>; body: Record<string, unknown> };
  answer(json: unknown): DialectAnswer;
}

const bearer = (key: Secret | undefined): Record<string, string> =>
  key ? { authorization: `Bearer ${key.reveal()}` } : {};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  anthropic: {
    baseUrl: "https://api.anthropic.com",
    keyName: "ANTHROPIC_API_KEY",
    baseUrlName: "ANTHROPIC_BASE_URL",
    request({ model, prompt, key, maxTokens, temperature, tools }) {
      const { system, turns } = partsOf(prompt);
      return {
        path: "/v1/messages",
        headers: { "anthropic-version": "2023-06-01", ...(key ? { "x-api-key": key.reveal() } : {}) },
        body: {
          model,
          ...(system === "" ? {} : { system }),
          messages: turns,
          max_tokens: maxTokens,
          ...given({ temperature, tools }),
        },
      };
    },
    answer(json) {
      const body = members(json);
      const usage = members(body.usage);
      const blocks = list(body.content).map(members);
      return {
        text: blocks.map((block) => words(block.text)).join(""),
        toolCalls: blocks
          .filter(({ type }) => type === "tool_use")
          .map(({ name, input }) => ({ name: words(name), input })),
        tokens: tokensOf(
          usage.input_tokens,
          usage.output_tokens,
          usage.cache_read_input_tokens,
          usage.cache_creation_input_tokens,
        ),
        finishReason: words(body.stop_reason) || undefined,
      };
    },
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    keyName: "OPENAI_API_KEY",
    baseUrlName: "OPENAI_BASE_URL",
    request({ model, prompt, key, maxTokens, temperature, tools }) {
      const input = typeof prompt === "string" ? prompt : prompt.map(({ role, content }) => ({ role, content }));
      return {
        path: "/responses",
        headers: bearer(key),
        body: { model, input, max_output_tokens: maxTokens, store: false, ...given({ temperature, tools }) },
      };
    },
    answer(json) {
      const body = members(json);
      const usage = members(body.usage);
      const items = list(body.output).map(members);
      const parts = items.flatMap((item) => list(item.content).map(members));
      const cached = whole(members(usage.input_tokens_details).cached_tokens);
      return {
        text: parts.map((part) => words(part.text)).join(""),
        toolCalls: items
          .filter(({ type }) => type === "function_call")
          .map(({ name, arguments: text }) => ({ name: words(name), input: parsed(text) })),
        tokens: tokensOf(whole(usage.input_tokens) - cached, usage.output_tokens, cached, 0),
        finishReason: words(members(body.incomplete_details).reason) || words(body.status) || undefined,
      };
    },
  },
  "openai-chat": {
    baseUrl: "https://api.openai.com/v1",
    keyName: "OPENAI_API_KEY",
    baseUrlName: "OPENAI_BASE_URL",
    request({ model, prompt, key, maxTokens, temperature, tools }) {
      const messages = typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt;
      return {
        path: "/chat/completions",
        headers: bearer(key),
        body: { model, messages, max_tokens: maxTokens, ...given({ temperature, tools }) },
      };
    },
    answer(json) {
      const body = members(json);
      const usage = members(body.usage);
      const choice = members(list(body.choices)[0]);
      const message = members(choice.message);
      const cached = whole(members(usage.prompt_tokens_details).cached_tokens);
      return {
        text: words(message.content),
        toolCalls: list(message.tool_calls)
          .map((call) => members(members(call).function))
          .map(({ name, arguments: text }) => ({ name: words(name), input: parsed(text) })),
        tokens: tokensOf(whole(usage.prompt_tokens) - cached, usage.completion_tokens, cached, 0),
        finishReason: words(choice.finish_reason) || undefined,
      };
    },
  },
};

/** Anthropic takes the system prompt apart from the turns. */
function partsOf(prompt: string | readonly ChatMessage[]): { system: string; turns: readonly object[] } {
  if (typeof prompt === "string") return { system: "", turns: [{ role: "user", content: prompt }] };
  const isSystem = ({ role }: ChatMessage) => role === "system" || role === "developer";
  return {
    system: prompt
      .filter(isSystem)
      .map(({ content }) => content)
      .join("\n\n"),
    turns: prompt
      .filter((one) => !isSystem(one))
      .map(({ role, content }) => ({ role: role === "assistant" ? "assistant" : "user", content })),
  };
}

function given({ temperature, tools }: Pick<ModelAsk, "temperature" | "tools">): Record<string, unknown> {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}

/** Undefined if nothing was counted: 0 tokens would be priced at $0. */
function tokensOf(input: unknown, output: unknown, read: unknown, written: unknown): ProviderTokens | undefined {
  const tokens = { input: whole(input), output: whole(output), cacheRead: whole(read), cacheWrite: whole(written) };
  return Object.values(tokens).some((count) => count > 0) ? tokens : undefined;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

const members = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === "string" ? value : "");
const whole = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
