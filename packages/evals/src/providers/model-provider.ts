/**
 * A model behind an HTTP API.
 *
 * - `modelProvider(settings)` a `Provider`. Its output is the text of the answer; with tools, `{ response, tool_calls }`.
 */
import type { Secret } from "@devflow/core/secret";
import { type DialectName, dialects } from "./model-dialects.ts";
import { postJson } from "./post-json.ts";
import { type Provider, ProviderFault } from "./provider.ts";

export interface ModelSettings {
  readonly id: string;
  readonly dialect: DialectName;
  readonly model: string;
  readonly baseUrl: string;
  readonly key: Secret | undefined;
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  /** In the provider's own format. */
  readonly tools?: readonly unknown[] | undefined;
  readonly timeoutMs: number;
  readonly fetch?: typeof fetch | undefined;
  /** Gets the headers of every answer, from which rate limits are learned. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

export function modelProvider(settings: ModelSettings): Provider {
  const { id, model, key, maxTokens, temperature, tools = [], timeoutMs } = settings;
  const dialect = dialects[settings.dialect];
  return {
    id,
    model,
    async call({ prompt, signal }) {
      const { path, headers, body } = dialect.request({ model, prompt, key, maxTokens, temperature, tools });
      const { json, latencyMs } = await postJson({
        url: `${settings.baseUrl.replace(/\/+$/, "")}${path}`,
        headers,
        body,
        timeoutMs,
        signal,
        fetch: settings.fetch,
        secrets: key ? [key.reveal()] : [],
        onHeaders: settings.onHeaders,
      });
      const { text, toolCalls, tokens, finishReason } = dialect.answer(json);
      if (text === "" && toolCalls.length === 0 && tokens === undefined) {
        throw new ProviderFault("failed", "its answer has neither text nor usage", { isTransient: true });
      }
      const output = tools.length > 0 ? { response: text, tool_calls: toolCalls } : text;
      return { output, tokens, latencyMs, finishReason };
    },
  };
}
