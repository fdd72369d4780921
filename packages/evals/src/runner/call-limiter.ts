/**
 * Lets calls of one provider start when its pace allows it.
 *
 * - `callLimiter({ most, clock })` `start(tokens, signal)` resolves when a call may start; the caller ends it with `end`.
 * - `learn(headers)` takes the provider's rate limits from the headers of an answer.
 *
 * Calls start in the order in which they asked.
 */
import type { Clock } from "@devflow/core/clock";
import { rateLimits } from "../providers/rate-limit-headers.ts";
import { callEnded, callStarted, limitsLearned, newPace, type Pace, rateLimited, waitFor } from "./call-pace.ts";

export interface CallLimiter {
  start(tokens: number, signal: AbortSignal): Promise<void>;
  end(isAnswered: boolean): void;
  /** The provider refused a call because of its limits. */
  pause(ms: number): void;
  learn(headers: Headers): void;
  readonly pace: Pace;
}

export function callLimiter({ most, clock }: { readonly most: number; readonly clock: Clock }): CallLimiter {
  let pace = newPace(most);
  let turn: Promise<unknown> = Promise.resolve();
  let wake: (() => void) | undefined;
  const changed = () => {
    wake?.();
    wake = undefined;
  };

  const startNext = async (tokens: number, signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const wait = waitFor(pace, tokens, clock.now());
      if (wait === 0) break;
      await (wait === "a call ends" ? change(signal) : clock.sleep(wait, signal));
    }
    pace = callStarted(pace, tokens, clock.now());
  };
  const change = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      wake = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
    });

  return {
    start(tokens, signal) {
      const mine = turn.then(() => startNext(tokens, signal));
      turn = mine.catch(() => undefined);
      return mine;
    },
    end(isAnswered) {
      pace = callEnded(pace, isAnswered);
      changed();
    },
    pause(ms) {
      pace = rateLimited(pace, ms, clock.now());
    },
    learn(headers) {
      pace = limitsLearned(pace, rateLimits(headers, clock.now()));
    },
    get pace() {
      return pace;
    },
  };
}
