/**
 * The activity `advance`: one stint of a run on this machine.
 *
 * - `createStints(options)` → `advance(runId)` for Temporal, `wake(runId)` for what this process hears by itself.
 *
 * Temporal may begin a second stint of a run while the first one still works here, as after a lost heartbeat. The second one
 * takes a new epoch, and the first one can then neither record nor prompt.
 */
import type { Clock } from "@devflow/core/clock";
import { type AfterStint, driveAWhile, type EngineContext, type Stint } from "@devflow/runs/fleet";
import { Context } from "@temporalio/activity";

export interface StintsOptions {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** After so much time the workflow is asked again, so that it can be told that the run has moved. */
  readonly budgetMs: number;
  readonly beatEveryMs: number;
  /** A run waits or ended: another one may begin. */
  readonly onResting: () => void;
  /** Another run of the family has to be told. */
  readonly onKin: (runId: string) => void;
  readonly isDraining: () => boolean;
}

export interface Stints {
  advance(runId: string): Promise<AfterStint>;
  /** While true, nothing is driven here: others may have this machine's runs. */
  fence(isFenced: boolean): void;
  wake(runId: string | undefined): void;
}

const fencedWaitMs = 2_000;

export function createStints({
  context,
  clock,
  stopping,
  budgetMs,
  beatEveryMs,
  onResting,
  onKin,
  isDraining,
}: StintsOptions): Stints {
  const open = new Map<string, Set<Stint>>();
  let fence = new AbortController();
  return {
    async advance(runId) {
      const activity = Context.current();
      if (fence.signal.aborted) return { kind: "wait", forMs: fencedWaitMs };
      const done = new AbortController();
      const stint = driveAWhile(context, runId, {
        budgetMs,
        isDraining,
        onKin,
        stopping: AbortSignal.any([stopping, activity.cancellationSignal, fence.signal]),
      });
      const known = open.get(runId) ?? new Set();
      open.set(runId, known.add(stint));
      const beating = beat(clock, beatEveryMs, () => activity.heartbeat(), done.signal);
      try {
        const after = await stint.after;
        if (after.kind === "wait" || after.kind === "end") onResting();
        if (after.kind === "end") context.stepFailures.delete(runId);
        return after;
      } finally {
        done.abort();
        await beating;
        known.delete(stint);
        if (known.size === 0) open.delete(runId);
      }
    },
    fence(isFenced) {
      if (isFenced) fence.abort("fenced");
      else if (fence.signal.aborted) fence = new AbortController();
    },
    wake(runId) {
      const stints =
        runId === undefined ? [...open.values()].flatMap((some) => [...some]) : [...(open.get(runId) ?? [])];
      for (const stint of stints) stint.wake();
    },
  };
}

async function beat(clock: Clock, everyMs: number, heartbeat: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    heartbeat();
    await clock.sleep(everyMs, signal).catch(() => undefined);
  }
}
