/**
 * An HTTP endpoint as provider: the app under test, served somewhere.
 *
 * - `endpointProvider(settings)` sends `{ prompt, vars }` and takes the JSON of the response as its output, plain or as
 *   `{ output, usage, cost_usd, error }`.
 */
import type { Secret } from "@devflow/core/secret";
import { appAnswer } from "./app-answer.ts";
import { postJson } from "./post-json.ts";
import type { Provider } from "./provider.ts";

export interface EndpointSettings {
  readonly id: string;
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key: Secret | undefined;
  readonly timeoutMs: number;
  readonly fetch?: typeof fetch | undefined;
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

export function endpointProvider({ id, url, key, timeoutMs, fetch, onHeaders }: EndpointSettings): Provider {
  return {
    id,
    async call({ prompt, vars, signal }) {
      const { json, latencyMs } = await postJson({
        url,
        headers: key ? { authorization: `Bearer ${key.reveal()}` } : {},
        body: { prompt, vars },
        timeoutMs,
        signal,
        fetch,
        secrets: key ? [key.reveal()] : [],
        onHeaders,
      });
      return appAnswer(json, latencyMs);
    },
  };
}
