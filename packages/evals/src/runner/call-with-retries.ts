/**
 * Calls a provider until it answers.
 *
 * - `callWithRetries(provider, request, options)` the answer, and the tokens of failed attempts; rejects with the last
 *   `ProviderFault`.
 *
 * A provider that is busy (429, 529) is waited for, as long as it says or with growing pauses, and that does not count as an
 * attempt until it has been waited for ten times. Other transient faults are tried again with growing pauses, up to
 * `attempts` times. Pauses are random between half and all of their length, so that calls that failed together do not return
 * together.
 */
import type { Clock } from "@devflow/core/clock";
import { type Provider, type ProviderAnswer, ProviderFault, type ProviderRequest } from "../providers/provider.ts";
import type { CallLimiter } from "./call-limiter.ts";

export interface RetryOptions {
  readonly limiter: CallLimiter;
  /** Estimated tokens of the call. */
  readonly tokens: number;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly attempts?: number;
}

const [firstPauseMs, longestPauseMs, mostWaits] = [500, 60_000, 10];
/** A provider that asks for a longer pause is not waited for. */
const longestRetryAfterMs = 15 * 60_000;

export async function callWithRetries(
  provider: Provider,
  request: ProviderRequest,
  { limiter, tokens, clock, random, attempts = 5 }: RetryOptions,
): Promise<ProviderAnswer> {
  let tries = 0;
  for (let waits = 0; ; ) {
    await limiter.start(tokens, request.signal);
    let isAnswered = false;
    let fault: ProviderFault;
    try {
      const answer = await provider.call(request);
      isAnswered = true;
      return answer;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      fault = error;
    } finally {
      limiter.end(isAnswered);
    }
    const isBusy = fault.kind === "rate_limited";
    if (isBusy) waits += 1;
    else tries += 1;
    const isOver = isBusy ? waits > mostWaits : !fault.isTransient || tries >= attempts;
    const grownMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (isBusy ? waits - 1 : tries - 1));
    const pauseMs = Math.max(fault.retryAfterMs ?? 0, Math.round(grownMs * (0.5 + random() / 2)));
    if (isOver || pauseMs > longestRetryAfterMs) throw told(fault, tries + waits);
    if (isBusy) limiter.pause(fault.retryAfterMs ?? pauseMs);
    await clock.sleep(pauseMs, request.signal);
  }
}

function told(fault: ProviderFault, calls: number): ProviderFault {
  if (calls <= 1) return fault;
  const { kind, retryAfterMs, isTransient, tokens } = fault;
  return new ProviderFault(kind, `${fault.message} (after ${calls} attempts)`, {
    retryAfterMs,
    isTransient,
    tokens,
    cause: fault,
  });
}
