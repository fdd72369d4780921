/**
 * Sends one HTTP request to a model, with retries.
 *
 * - `callModel(provider, target, ask, options)` the answer; throws a `JudgeFailure` whose message contains no key.
 *
 * 408, 409, 429 and 5xx, broken connections and broken bodies are retried after `retry-after` or a growing pause.
 */
import type { Clock } from "@devflow/core/clock";
import { postJson } from "../providers/post-json.ts";
import { ProviderFault } from "../providers/provider.ts";
import type { ProviderName } from "./judge-profile.ts";
import { type Ask, type ModelAnswer, type ProviderTarget, readAnswer, requestFor } from "./providers.ts";

export class JudgeFailure extends Error {}

export interface CallOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly signal?: AbortSignal | undefined;
}

const maxPauseMs = 60_000;

export async function callModel(
  provider: ProviderName,
  target: ProviderTarget,
  ask: Ask,
  options: CallOptions,
): Promise<ModelAnswer> {
  const { clock, timeoutMs, signal, attempts } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { json } = await postJson({
        ...requestFor(provider, target, ask),
        timeoutMs,
        signal,
        fetch: options.fetch,
        now: clock.now,
        secrets: target.key ? [target.key.reveal()] : [],
      });
      return readAnswer(provider, json);
    } catch (fault) {
      if (!(fault instanceof ProviderFault)) throw fault;
      const pauseMs = fault.retryAfterMs ?? Math.min(maxPauseMs, 500 * 2 ** (attempt - 1));
      if (!fault.isTransient || attempt >= attempts || pauseMs > maxPauseMs) {
        const tries = attempt > 1 ? ` after ${attempt} attempts` : "";
        const name = `${ask.model} at ${hostOf(target.baseUrl)}`;
        throw new JudgeFailure(`the judge ${name} failed${tries}: ${fault.message}`, { cause: fault });
      }
      await clock.sleep(pauseMs, signal);
    }
  }
}

function hostOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).host;
  } catch {
    return "an invalid URL";
  }
}
