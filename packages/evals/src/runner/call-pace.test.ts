import { expect, test } from "bun:test";
import { rateLimits } from "../providers/rate-limit-headers.ts";
import { callEnded, callStarted, limitsLearned, newPace, type Pace, rateLimited, waitFor } from "./call-pace.ts";

const now = Date.UTC(2026, 10, 16, 12);
const started = (pace: Pace, times: number, tokens = 100): Pace =>
  times === 0 ? pace : started(callStarted(pace, tokens, now), times - 1, tokens);

test.each([
  [
    "Anthropic",
    {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "7",
      "anthropic-ratelimit-requests-reset": "2026-11-16T12:00:30Z",
    },
    { requests: { limit: 50, remaining: 7, resetAtMs: now + 30_000 } },
  ],
  [
    "OpenAI",
    { "x-ratelimit-limit-tokens": "40000", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m6.5s" },
    { tokens: { limit: 40_000, remaining: 0, resetAtMs: now + 66_500 } },
  ],
  [
    "milliseconds",
    { "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "120ms" },
    { requests: { limit: undefined, remaining: 1, resetAtMs: now + 120 } },
  ],
  [
    "seconds",
    { "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "2" },
    { requests: { limit: undefined, remaining: 1, resetAtMs: now + 2_000 } },
  ],
  ["nothing", {}, {}],
  ["words", { "x-ratelimit-remaining-requests": "some", "x-ratelimit-reset-requests": "soon" }, {}],
  ["next year", { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "400d" }, {}],
] as const)("limits are read from headers: %s", (_, headers, limits) => {
  expect(rateLimits(new Headers(headers), now)).toEqual(limits as never);
});

test("a few calls start at once; the next waits until one ends, and every round of answers allows one more", () => {
  let pace = started(newPace(8), 4);
  expect(waitFor(pace, 100, now)).toBe("a call ends");
  for (let answer = 0; answer < 5; answer += 1) pace = callEnded(pace, true);
  expect(Math.floor(pace.width)).toBe(5);
  for (let answer = 0; answer < 500; answer += 1) pace = callEnded(pace, true);
  expect(pace.width).toBe(8);
  expect(newPace(2).width).toBe(2);
});

test("a failed call does not widen the pace", () => {
  expect(callEnded(started(newPace(8), 1), false).width).toBe(4);
});

test("429 halves the number of calls at once, once for calls that were refused together, and pauses all of them", () => {
  const wide = { ...newPace(8), width: 8 };
  const refused = rateLimited(rateLimited(wide, 2_000, now), 3_000, now + 10);
  expect(refused.width).toBe(4);
  expect(waitFor(refused, 100, now + 10)).toBe(3_000);
  expect(waitFor(refused, 100, now + 3_010)).toBe(0);
  expect(rateLimited({ ...wide, width: 1 }, 10, now).width).toBe(1);
});

test("what is left of a limit is counted down, and an empty one is waited for as long as it needs to refill", () => {
  const limits = { requests: { limit: 60, remaining: 2, resetAtMs: now + 58_000 } };
  const pace = limitsLearned({ ...newPace(8), width: 8 }, limits);
  expect(waitFor(started(pace, 1), 100, now)).toBe(0);
  // 60 requests a minute: one second for the next.
  expect(waitFor(started(pace, 2), 100, now)).toBeCloseTo(967, -1);
  expect(waitFor(started(pace, 2), 100, now + 58_000)).toBe(0);
});

test("tokens are a limit of their own; a call larger than all of it waits for the reset", () => {
  const limits = { tokens: { limit: 10_000, remaining: 1_000, resetAtMs: now + 9_000 } };
  const pace = limitsLearned(newPace(8), limits);
  expect(waitFor(pace, 900, now)).toBe(0);
  expect(waitFor(pace, 2_000, now)).toBe(1_000);
  expect(waitFor(pace, 50_000, now)).toBe(9_000);
});
