/** `echoProvider(id)` answers with the prompt itself. */
import type { Provider } from "./provider.ts";

export function echoProvider(id: string): Provider {
  return {
    id,
    call: async ({ prompt, signal }) => {
      signal.throwIfAborted();
      const output = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
      return { output, costUsd: 0, tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, latencyMs: 0 };
    },
  };
}
