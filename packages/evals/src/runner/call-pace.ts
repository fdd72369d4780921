/**
 * How fast one provider may be asked: how many calls at once, and when the next may start. Pure.
 *
 * - `newPace(most)` starts with a few calls at once.
 * - `waitFor(pace, tokens, nowMs)` 0: a call may start now; milliseconds until it may; `"a call ends"`: only when one does.
 * - `callStarted`, `callEnded`, `limitsLearned`, `rateLimited` the next pace.
 *
 * The number of calls at once grows by one for each round of answers, and is halved when the provider says 429, as in TCP.
 * What the provider reports to be left of its limits is counted down with every call, so that usually no 429 is needed to
 * learn them.
 */
import { type LimitKind, limitKinds, type RateLimit, type RateLimits } from "../providers/rate-limit-headers.ts";

export interface Pace {
  /** The most calls at once that the user allows. */
  readonly most: number;
  /** The most at once now; grows in fractions. */
  readonly width: number;
  readonly inFlight: number;
  readonly pausedUntilMs: number;
  readonly limits: RateLimits;
}

const firstWidth = 4;

export const newPace = (most: number): Pace => ({
  most,
  width: Math.min(most, firstWidth),
  inFlight: 0,
  pausedUntilMs: 0,
  limits: {},
});

export function waitFor(pace: Pace, tokens: number, nowMs: number): number | "a call ends" {
  if (pace.inFlight >= Math.floor(pace.width)) return "a call ends";
  const waits = limitKinds.map((kind) => refillMs(pace.limits[kind], need(kind, tokens), nowMs));
  return Math.max(0, pace.pausedUntilMs - nowMs, ...waits);
}

const need = (kind: LimitKind, tokens: number): number => (kind === "requests" ? 1 : tokens);

/** Limits fill up evenly until their reset. A call larger than the whole limit waits for the reset and is then tried. */
function refillMs(limit: RateLimit | undefined, needed: number, nowMs: number): number {
  if (!limit || limit.remaining >= needed || limit.resetAtMs <= nowMs) return 0;
  const untilFull = limit.resetAtMs - nowMs;
  const missing = limit.limit === undefined ? 0 : limit.limit - limit.remaining;
  return missing <= 0 ? untilFull : Math.min(untilFull, Math.ceil((untilFull * (needed - limit.remaining)) / missing));
}

export function callStarted(pace: Pace, tokens: number, nowMs: number): Pace {
  const limits: Partial<Record<LimitKind, RateLimit>> = {};
  for (const kind of limitKinds) {
    const limit = pace.limits[kind];
    // After its reset a limit is unknown until the provider reports it again.
    if (!limit || limit.resetAtMs <= nowMs) continue;
    limits[kind] = { ...limit, remaining: Math.max(0, limit.remaining - need(kind, tokens)) };
  }
  return { ...pace, inFlight: pace.inFlight + 1, limits };
}

export function callEnded(pace: Pace, isAnswered: boolean): Pace {
  const grown = isAnswered ? pace.width + 1 / Math.max(1, pace.width) : pace.width;
  return { ...pace, inFlight: Math.max(0, pace.inFlight - 1), width: Math.min(pace.most, grown) };
}

export const limitsLearned = (pace: Pace, limits: RateLimits): Pace => ({
  ...pace,
  limits: { ...pace.limits, ...limits },
});

/** Calls that were refused together halve the width once: the pause is longer than they are apart. */
export function rateLimited(pace: Pace, pauseMs: number, nowMs: number): Pace {
  const isNew = pace.pausedUntilMs <= nowMs;
  return {
    ...pace,
    width: isNew ? Math.max(1, pace.width / 2) : pace.width,
    pausedUntilMs: Math.max(pace.pausedUntilMs, nowMs + pauseMs),
  };
}
