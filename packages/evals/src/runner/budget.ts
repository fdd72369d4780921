/**
 * A budget in dollars: money is reserved before a call and settled after it.
 *
 * - `openBudget(maxUsd, spentUsd)` `reserve(estimate, signal)` resolves with a reservation, or with undefined once the rest of
 *   the budget is too small; while other calls are in flight it waits, because they may turn out cheaper than reserved. The
 *   estimate is a function, because it may change with what they cost.
 * - `reservation.settle(usd)` what the call really cost; once.
 *
 * Spent and reserved together never exceed the budget, so it can be exceeded only by what the calls in flight cost more than
 * estimated. A call of unknown cost (`null`) is made alone, and nothing else before its cost is known.
 */
export interface Reservation {
  settle(usd: number): void;
}

export interface Budget {
  readonly maxUsd: number | undefined;
  readonly spentUsd: number;
  reserve(estimate: () => number | null, signal?: AbortSignal): Promise<Reservation | undefined>;
}

export function openBudget(maxUsd: number | undefined, alreadySpentUsd = 0): Budget {
  let spent = alreadySpentUsd;
  let reserved = 0;
  let inFlight = 0;
  let isAlone = false;
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const take = (estimateUsd: number | null): Reservation => {
    const held = estimateUsd ?? 0;
    inFlight += 1;
    reserved += held;
    if (estimateUsd === null) isAlone = true;
    let isSettled = false;
    return {
      settle(usd) {
        if (isSettled) return;
        isSettled = true;
        inFlight -= 1;
        reserved = inFlight === 0 ? 0 : reserved - held;
        if (estimateUsd === null) isAlone = false;
        spent += usd;
        wakeAll();
      },
    };
  };
  const fits = (estimateUsd: number | null): boolean => {
    if (maxUsd === undefined) return true;
    if (isAlone) return false;
    if (estimateUsd === null) return inFlight === 0 && spent < maxUsd;
    return spent + reserved + estimateUsd <= maxUsd + rounding;
  };

  return {
    maxUsd,
    get spentUsd() {
      return spent;
    },
    async reserve(estimate, signal) {
      for (;;) {
        const estimateUsd = estimate();
        if (fits(estimateUsd)) return take(estimateUsd);
        if (inFlight === 0) return undefined;
        await settled(waiting, signal);
      }
    },
  };
}

/** Sums of cents are not exact in binary. */
const rounding = 1e-12;

function settled(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      waiting.delete(wake);
      reject(signal?.reason);
    };
    const wake = () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    waiting.add(wake);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
