/** `embedder(model, options)` embeds text through OpenAI's embeddings, which most compatible servers offer too. */
import { ProviderFault } from "./provider.ts";

export interface EmbedderOptions {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
}

const timeoutMs = 60_000;

export function embedder(model: string, { baseUrl, key, signal, fetch: send = fetch }: EmbedderOptions) {
  return async (text: string): Promise<readonly number[]> => {
    const response = await send(`${baseUrl.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model, input: text }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((error: Error) => {
      signal.throwIfAborted();
      throw new ProviderFault("failed", `${model}: ${error.message}`, { isTransient: true });
    });
    const body = (await response.json().catch(() => undefined)) as { data?: { embedding?: number[] }[] } | undefined;
    const found = body?.data?.[0]?.embedding;
    if (!response.ok || !found) throw new ProviderFault("failed", `${model}: the server answered ${response.status}`);
    return found;
  };
}
