import { expect, test } from "bun:test";
import type { Clock } from "@devflow/core/clock";
import { type Provider, ProviderFault } from "../providers/provider.ts";
import { callLimiter } from "./call-limiter.ts";
import { callWithRetries } from "./call-with-retries.ts";

/** Sleeping takes no time, and is written down. */
function quickClock(): Clock & { readonly slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

function run(outcomes: readonly (ProviderFault | "ok")[], { most = 4, random = () => 1 as number } = {}) {
  const clock = quickClock();
  const limiter = callLimiter({ most, clock });
  let calls = 0;
  const provider: Provider = {
    id: "scripted",
    call: async () => {
      const outcome = outcomes[Math.min(calls++, outcomes.length - 1)]!;
      if (outcome !== "ok") throw outcome;
      return { output: "ok", latencyMs: 1 };
    },
  };
  const request = { prompt: "?", vars: {}, signal: new AbortController().signal };
  const answer = callWithRetries(provider, request, { limiter, tokens: 10, clock, random });
  return { clock, limiter, answer, calls: () => calls };
}

const busy = (retryAfterMs?: number) => new ProviderFault("rate_limited", "HTTP 429", { retryAfterMs });
const broken = new ProviderFault("failed", "HTTP 500", { isTransient: true });

test("transient faults are tried again with growing pauses, five times in all", async () => {
  const fine = run([broken, broken, broken, "ok"]);
  expect((await fine.answer).output).toBe("ok");
  expect(fine.clock.slept).toEqual([500, 1_000, 2_000]);
  const never = run([broken]);
  expect(never.answer).rejects.toThrow("HTTP 500 (after 5 attempts)");
  await never.answer.catch(() => undefined);
  expect(never.calls()).toBe(5);
});

test("pauses are random between half and all of their length", async () => {
  const { clock, answer } = run([broken, broken, "ok"], { random: () => 0 });
  await answer;
  expect(clock.slept).toEqual([250, 500]);
});

test("a busy provider is waited for as long as it says, and that is no attempt", async () => {
  const { clock, limiter, answer, calls } = run([busy(3_000), busy(200), broken, "ok"]);
  await answer;
  expect(calls()).toBe(4);
  expect(clock.slept.slice(0, 2)).toEqual([3_000, 1_000]);
  expect(limiter.pace).toMatchObject({ inFlight: 0 });
  expect(limiter.pace.width).toBeLessThan(4);
});

test("a busy provider is given up after ten waits, or if it asks for more than a quarter of an hour", async () => {
  const forever = run([busy(10)]);
  expect(forever.answer).rejects.toThrow("HTTP 429 (after 11 attempts)");
  await forever.answer.catch(() => undefined);
  const tomorrow = run([busy(86_400_000)]);
  expect(tomorrow.answer).rejects.toThrow("HTTP 429");
  await tomorrow.answer.catch(() => undefined);
  expect(tomorrow.clock.slept).toEqual([]);
});

test("what cannot succeed is not tried again, and leaves no call in flight", async () => {
  const { limiter, answer, calls } = run([new ProviderFault("misconfigured", "HTTP 401")]);
  expect(answer).rejects.toThrow("HTTP 401");
  await answer.catch(() => undefined);
  expect([calls(), limiter.pace.inFlight]).toEqual([1, 0]);
});

test("calls start in the order in which they asked, and never more at once than allowed", async () => {
  const clock = quickClock();
  const limiter = callLimiter({ most: 2, clock });
  const signal = new AbortController().signal;
  const order: number[] = [];
  const starts = [0, 1, 2, 3].map((no) => limiter.start(1, signal).then(() => order.push(no)));
  await starts[1];
  expect([order, limiter.pace.inFlight]).toEqual([[0, 1], 2]);
  limiter.end(true);
  limiter.end(true);
  await Promise.all(starts);
  expect(order).toEqual([0, 1, 2, 3]);
});

test("limits that the provider reports are kept to before it says 429", async () => {
  const clock = quickClock();
  const limiter = callLimiter({ most: 8, clock });
  const signal = new AbortController().signal;
  limiter.learn(new Headers({ "x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "4s" }));
  await limiter.start(1, signal);
  await limiter.start(1, signal);
  expect(clock.slept).toEqual([4_000]);
});
