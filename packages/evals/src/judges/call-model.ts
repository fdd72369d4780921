/**
 * Sends one HTTP request to a model, with retries.
 *
 * - `callModel(provider, target, ask, options)` the answer; throws a `JudgeFailure` whose message contains no key.
 *
 * 408, 409, 429 and 5xx, broken connections and broken bodies are retried after `retry-after` or a growing pause. Redirects are
 * not followed, because they would send the key elsewhere.
 */
import type { Clock } from "@devflow/core/clock";
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

const maxBodyBytes = 4 * 1024 * 1024;
const maxPauseMs = 60_000;

export async function callModel(
  provider: ProviderName,
  target: ProviderTarget,
  ask: Ask,
  options: CallOptions,
): Promise<ModelAnswer> {
  const clean = (text: string) => withoutKey(text, target);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(provider, target, ask, options);
    if ("answer" in outcome) return outcome.answer;
    const pauseMs = outcome.retryAfterMs ?? Math.min(maxPauseMs, 500 * 2 ** (attempt - 1));
    const name = `${ask.model} at ${hostOf(target.baseUrl)}`;
    if (!outcome.mayHelp || attempt >= options.attempts || pauseMs > maxPauseMs) {
      const tries = attempt > 1 ? ` after ${attempt} attempts` : "";
      throw new JudgeFailure(clean(`the judge ${name} failed${tries}: ${outcome.problem}`));
    }
    await options.clock.sleep(pauseMs, options.signal);
  }
}

type Try =
  | { readonly answer: ModelAnswer }
  | { readonly problem: string; readonly mayHelp: boolean; readonly retryAfterMs?: number | undefined };

async function tryOnce(
  provider: ProviderName,
  target: ProviderTarget,
  ask: Ask,
  { fetch: send, clock, timeoutMs, signal }: CallOptions,
): Promise<Try> {
  signal?.throwIfAborted();
  const { url, headers, body } = requestFor(provider, target, ask);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error("timeout")), timeoutMs);
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body: JSON.stringify(body).toWellFormed(),
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    });
    const text = await readBounded(response);
    if (response.status !== 200) {
      const retryAfterMs = retryAfter(response.headers.get("retry-after"), clock.now());
      const mayHelp = [408, 409, 429].includes(response.status) || response.status >= 500;
      return { problem: `HTTP ${response.status}${said(text)}`, mayHelp, retryAfterMs };
    }
    return { answer: readAnswer(provider, JSON.parse(text)) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (timeout.signal.aborted) return { problem: `no answer within ${timeoutMs} ms`, mayHelp: true };
    if (error instanceof SyntaxError) return { problem: "its answer is not valid JSON", mayHelp: true };
    if (error instanceof JudgeFailure) return { problem: error.message, mayHelp: false };
    return { problem: error instanceof Error ? error.message : "the connection failed", mayHelp: true };
  } finally {
    clearTimeout(timer);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    size += next.value.length;
    if (size > maxBodyBytes) {
      await reader?.cancel();
      throw new JudgeFailure(`its answer is larger than ${maxBodyBytes} bytes`);
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Seconds, or a date. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The provider's error message, as one line. */
function said(text: string): string {
  let message: unknown;
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown }; message?: unknown };
    message = body.error?.message ?? body.message;
  } catch {
    message = undefined;
  }
  return typeof message === "string" && message ? `: ${message.replace(/\s+/g, " ").slice(0, 300)}` : "";
}

function withoutKey(text: string, { key }: ProviderTarget): string {
  const value = key?.reveal();
  const known = value ? text.replaceAll(value, "[redacted]") : text;
  // Providers quote parts of a wrong key.
  return known.replace(/\b(?:sk|key)-[\w*-]{6,}/g, "[redacted]");
}

function hostOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).host;
  } catch {
    return "an invalid URL";
  }
}
