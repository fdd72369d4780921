/**
 * Three HTTP APIs for answers that follow a JSON Schema: Anthropic Messages, OpenAI Responses, and chat completions, which most
 * compatible servers support.
 *
 * - `requestFor(provider, ask)` path, headers and body.
 * - `readAnswer(provider, body)` the JSON of the answer, its text, and its usage.
 */
import type { Secret } from "@devflow/core/secret";
import type { ModelUsage } from "../results/result.ts";
import type { ProviderName } from "./judge-profile.ts";

/** A provider's URL and key. */
export interface ProviderTarget {
  readonly baseUrl: string;
  readonly key: Secret | undefined;
}

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface Ask {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly schema: Readonly<Record<string, unknown>>;
  readonly maxTokens: number;
  readonly temperature: number | undefined;
}

export interface ModelAnswer {
  /** Undefined if the answer contains no JSON. */
  readonly json: unknown;
  readonly text: string;
  /** Input tokens without cache tokens, for all providers. */
  readonly usage: Omit<ModelUsage, "model" | "costUsd">;
}

const toolName = "record_scores";

export function requestFor(
  provider: ProviderName,
  { baseUrl, key }: ProviderTarget,
  ask: Ask,
): { url: string; headers: Record<string, string>; body: unknown } {
  const base = baseUrl.replace(/\/+$/, "");
  const { model, system, turns, schema, maxTokens } = ask;
  const temperature = ask.temperature === undefined ? {} : { temperature: ask.temperature };
  const messages = turns.map(({ role, text }) => ({ role, content: text }));
  const bearer: Record<string, string> = key ? { authorization: `Bearer ${key.reveal()}` } : {};
  switch (provider) {
    case "anthropic":
      return {
        url: `${base}/v1/messages`,
        headers: { "anthropic-version": "2023-06-01", ...(key ? { "x-api-key": key.reveal() } : {}) },
        body: {
          model,
          system,
          messages,
          max_tokens: maxTokens,
          ...temperature,
          tools: [{ name: toolName, description: "Records the scores.", strict: true, input_schema: schema }],
          tool_choice: { type: "tool", name: toolName },
        },
      };
    case "openai":
      return {
        url: `${base}/responses`,
        headers: bearer,
        body: {
          model,
          instructions: system,
          input: messages,
          max_output_tokens: maxTokens,
          store: false,
          ...temperature,
          text: { format: { type: "json_schema", name: toolName, strict: true, schema } },
        },
      };
    case "openai-chat":
      return {
        url: `${base}/chat/completions`,
        headers: bearer,
        body: {
          model,
          messages: [{ role: "system", content: system }, ...messages],
          max_tokens: maxTokens,
          ...temperature,
          response_format: { type: "json_schema", json_schema: { name: toolName, strict: true, schema } },
        },
      };
  }
}

export function readAnswer(provider: ProviderName, body: unknown): ModelAnswer {
  const given = members(body);
  const usage = members(given.usage);
  if (provider === "anthropic") {
    const blocks = list(given.content).map(members);
    const text = blocks.map((block) => words(block.text)).join("");
    const tool = blocks.find((block) => block.type === "tool_use");
    return {
      json: tool ? tool.input : parseJson(text),
      text: tool ? JSON.stringify(tool.input) : text,
      usage: counted(
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
      ),
    };
  }
  if (provider === "openai") {
    const content = list(given.output).flatMap((item) => list(members(item).content).map(members));
    const text = content.map((part) => words(part.text)).join("");
    const cached = whole(members(usage.input_tokens_details).cached_tokens);
    return {
      json: parseJson(text),
      text,
      usage: counted(whole(usage.input_tokens) - cached, usage.output_tokens, cached, 0),
    };
  }
  const text = words(members(members(list(given.choices)[0]).message).content);
  const cached = whole(members(usage.prompt_tokens_details).cached_tokens);
  return {
    json: parseJson(text),
    text,
    usage: counted(whole(usage.prompt_tokens) - cached, usage.completion_tokens, cached, 0),
  };
}

function counted(input: unknown, output: unknown, read: unknown, written: unknown): ModelAnswer["usage"] {
  return {
    calls: 1,
    inputTokens: whole(input),
    outputTokens: whole(output),
    cacheReadTokens: whole(read),
    cacheWriteTokens: whole(written),
  };
}

/** The JSON object in a text, even if a model puts it in a code fence or a sentence. */
function parseJson(text: string): unknown {
  const candidates = [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)];
  for (const candidate of candidates) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Try the next candidate.
    }
  }
  return undefined;
}

const members = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (value: unknown): string => (typeof value === "string" ? value : "");
const whole = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
