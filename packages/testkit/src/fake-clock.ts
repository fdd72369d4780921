/**
 * Time that moves only when a test says so. No real timer is ever made.
 *
 * - `fakeClock(startMs)` a `Clock`; `advance(ms)` wakes every sleeper that falls due, in order of their time, each one
 *   seeing its own moment as `now()`, and lets what they started run before the next one wakes.
 */
import type { Clock } from "@devflow/core/clock";

export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>;
  /** How many are asleep. */
  readonly sleeping: number;
  /** Milliseconds until the next one wakes; undefined when nobody sleeps. */
  nextWakeMs(): number | undefined;
}

interface Sleeper {
  readonly wakeAt: number;
  readonly order: number;
  wake(): void;
}

export function fakeClock(startMs: number = Date.UTC(2030, 0, 1)): FakeClock {
  let now = startMs;
  let order = 0;
  const sleepers = new Set<Sleeper>();

  const next = (): Sleeper | undefined => [...sleepers].sort((a, b) => a.wakeAt - b.wakeAt || a.order - b.order)[0];

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          wakeAt: now + Math.max(0, ms),
          order: order++,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let sleeper = next(); sleeper && sleeper.wakeAt <= until; sleeper = next()) {
        now = Math.max(now, sleeper.wakeAt);
        sleeper.wake();
        await settle();
      }
      now = until;
    },
    get sleeping() {
      return sleepers.size;
    },
    nextWakeMs() {
      const sleeper = next();
      return sleeper && Math.max(0, sleeper.wakeAt - now);
    },
  };
}

/** Lets promise chains of ordinary length run to where they wait again: a turn of the event loop, twice. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
