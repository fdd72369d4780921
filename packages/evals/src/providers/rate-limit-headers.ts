/**
 * Rate limits, as providers report them with every answer.
 *
 * - `rateLimits(headers, nowMs)` what is left of each limit and when it is full again; empty if the provider reports nothing.
 *
 * Anthropic: `anthropic-ratelimit-requests-remaining` and a date. OpenAI and compatible servers:
 * `x-ratelimit-remaining-requests` and a duration such as `6m0s` or `120ms`.
 */
export const limitKinds = ["requests", "tokens"] as const;
export type LimitKind = (typeof limitKinds)[number];

export interface RateLimit {
  readonly remaining: number;
  /** Undefined if the provider does not report it. */
  readonly limit: number | undefined;
  /** When it is full again. */
  readonly resetAtMs: number;
}

export type RateLimits = Partial<Readonly<Record<LimitKind, RateLimit>>>;

export function rateLimits(headers: Headers, nowMs: number): RateLimits {
  const found: Partial<Record<LimitKind, RateLimit>> = {};
  for (const kind of limitKinds) {
    const limit =
      read(headers, (part) => `anthropic-ratelimit-${kind}-${part}`, nowMs) ??
      read(headers, (part) => `x-ratelimit-${part}-${kind}`, nowMs);
    if (limit) found[kind] = limit;
  }
  return found;
}

function read(headers: Headers, nameOf: (part: string) => string, nowMs: number): RateLimit | undefined {
  const remaining = count(headers.get(nameOf("remaining")));
  const resetAtMs = momentOf(headers.get(nameOf("reset")), nowMs);
  if (remaining === undefined || resetAtMs === undefined) return undefined;
  return { remaining, limit: count(headers.get(nameOf("limit"))), resetAtMs };
}

function count(text: string | null): number | undefined {
  const number = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const duration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** A date, a duration, or seconds. A moment more than a day away is not believed. */
function momentOf(text: string | null, nowMs: number): number | undefined {
  const given = text?.trim() ?? "";
  if (given === "") return undefined;
  const parts = duration.test(given) ? [...given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)] : [];
  const waitMs =
    parts.length > 0
      ? parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitMs[unit ?? ""] ?? 0), 0)
      : /^\d+(?:\.\d+)?$/.test(given)
        ? Number(given) * 1_000
        : Date.parse(given) - nowMs;
  return Number.isFinite(waitMs) && waitMs <= 86_400_000 ? nowMs + Math.max(0, waitMs) : undefined;
}
