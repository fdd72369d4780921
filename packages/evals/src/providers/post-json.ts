/**
 * Sends one HTTP request with a JSON body, once.
 *
 * - `postJson(request)` the JSON of the answer and its headers; rejects with a `ProviderFault` whose message contains no key,
 *   or with the signal's reason.
 *
 * Redirects are not followed, because they would send the key elsewhere.
 */
import { type FaultFacts, ProviderFault } from "./provider.ts";
import { readBounded } from "./read-bounded.ts";

export interface JsonRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly now?: (() => number) | undefined;
  /** Values that must not appear in a message. */
  readonly secrets?: readonly string[];
  /** Gets the headers of every answer, also of a refusal. */
  readonly onHeaders?: ((headers: Headers) => void) | undefined;
}

export interface JsonAnswer {
  readonly json: unknown;
  readonly headers: Headers;
  readonly latencyMs: number;
}

export async function postJson(request: JsonRequest): Promise<JsonAnswer> {
  const { url, headers, body, timeoutMs, signal, fetch: send = fetch, now = Date.now } = request;
  signal?.throwIfAborted();
  const began = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error("timeout")), timeoutMs);
  const fault = (kind: ProviderFault["kind"], problem: string, facts: FaultFacts = {}) =>
    new ProviderFault(kind, withoutSecrets(problem, request.secrets ?? []), facts);
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body: JSON.stringify(body).toWellFormed(),
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    });
    request.onHeaders?.(response.headers);
    const text = await readBounded(response);
    if (response.status < 200 || response.status > 299) {
      const retryAfterMs = retryAfter(response.headers, now());
      throw fault(kindOf(response.status), `HTTP ${response.status}${said(text)}`, {
        retryAfterMs,
        isTransient: mayHelp(response.status),
      });
    }
    return { json: JSON.parse(text), headers: response.headers, latencyMs: Math.round(performance.now() - began) };
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    if (signal?.aborted) throw signal.reason;
    const transient = { isTransient: true, cause: error };
    if (timeout.signal.aborted) throw fault("failed", `no answer within ${timeoutMs} ms`, transient);
    if (error instanceof SyntaxError) throw fault("failed", "its answer is not valid JSON", transient);
    throw fault("failed", error instanceof Error ? error.message : "the connection failed", transient);
  } finally {
    clearTimeout(timer);
  }
}

/** 529 is Anthropic's "overloaded". */
function kindOf(status: number): ProviderFault["kind"] {
  if (status === 429 || status === 529) return "rate_limited";
  return [401, 403, 404].includes(status) ? "misconfigured" : "failed";
}

const mayHelp = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/** Milliseconds, seconds, or a date. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const given = headers.get("retry-after")?.trim();
  if (!given) return undefined;
  const seconds = Number(given);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(given) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/** The provider's error message, as one line. */
function said(text: string): string {
  let message: unknown;
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown };
    message = typeof body.error === "string" ? body.error : (body.error?.message ?? body.message);
  } catch {
    message = undefined;
  }
  return typeof message === "string" && message ? `: ${message.replace(/\s+/g, " ").slice(0, 300)}` : "";
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter(Boolean).reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
  // Providers quote parts of a wrong key.
  return known.replace(/\b(?:sk|key)-[\w*-]{6,}/g, "[redacted]");
}
