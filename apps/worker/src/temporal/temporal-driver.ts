/**
 * The driver of runs on Temporal: this machine's stints, and what Temporal has to be told.
 *
 * - `createTemporalDriver(context, options)` a driver like the inline one. `wake` and `nudge` only make it look sooner: what a
 *   verb committed reaches the workflow through its row, whatever happens to this process.
 */
import { systemClock } from "@devflow/core/clock";
import type { EngineState } from "@devflow/protocol";
import { type EngineContext, type RunDriver, takeNextQueued } from "@devflow/runs/fleet";
import { defaultTimes, type StintTimes } from "../workflow/messages.ts";
import { type Link, openLink } from "./link.ts";
import type { TemporalPlace } from "./settings.ts";
import { createStints } from "./stints.ts";
import { createWaker } from "./waker.ts";

export interface TemporalDriverOptions {
  readonly place: TemporalPlace;
  readonly workflowCode: string;
  readonly times?: Partial<DriverTimes>;
  readonly onState?: (state: EngineState) => void;
  /** No queued run begins here any more. */
  readonly isDraining?: () => boolean;
}

export interface DriverTimes extends StintTimes {
  readonly budgetMs: number;
  readonly lookEveryMs: number;
  readonly sweepEveryMs: number;
  readonly refillMs: number;
  readonly graceMs: number;
}

const defaults: DriverTimes = {
  ...defaultTimes,
  budgetMs: 20_000,
  lookEveryMs: 2_000,
  sweepEveryMs: 30_000,
  refillMs: 2_000,
  graceMs: 10_000,
};

export interface TemporalDriver extends RunDriver {
  /** While true, nothing is driven here. */
  fence(isFenced: boolean): void;
  state(): EngineState | undefined;
}

export function createTemporalDriver(context: EngineContext, options: TemporalDriverOptions): TemporalDriver {
  const { log } = context;
  // Intervals are this machine's; only what is recorded needs the clock of the context.
  const clock = systemClock;
  const times = { ...defaults, ...options.times };
  const end = new AbortController();
  let link: Link | undefined;
  let isFirst = true;
  let nextFill: ReturnType<typeof setTimeout> | undefined;

  const waker = createWaker({
    ...{ context, clock, log, client: () => link?.client() },
    times: { heartbeatMs: times.heartbeatMs, toStartMs: times.toStartMs },
    lookEveryMs: times.lookEveryMs,
    sweepEveryMs: times.sweepEveryMs,
  });

  /** A run ended, waits for a person, or was queued: the next one may begin. */
  const fillSlots = (): void => {
    if (end.signal.aborted) return;
    clearTimeout(nextFill);
    if (options.isDraining?.()) fillLater(times.sweepEveryMs);
    else takeFirst();
  };

  const takeFirst = (): void => {
    takeNextQueued(context, "temporal").then(
      ({ taken, isMore }) => {
        if (taken) waker.kick();
        if (taken) fillSlots();
        // A slot may also become free through a run of the other engine.
        else fillLater(isMore ? times.refillMs : times.sweepEveryMs);
      },
      (error: unknown) => {
        log.warn({ err: error }, "the queue could not be read");
        fillLater(times.refillMs);
      },
    );
  };

  const fillLater = (ms: number): void => {
    clearTimeout(nextFill);
    if (!end.signal.aborted) nextFill = setTimeout(fillSlots, ms).unref();
  };

  const stints = createStints({
    ...{ context, clock, stopping: end.signal, budgetMs: times.budgetMs },
    beatEveryMs: Math.max(100, times.heartbeatMs / 3),
    onResting: fillSlots,
    onKin: (runId) => changed(runId),
    isDraining: () => options.isDraining?.() ?? false,
  });

  const onConnected = (): void => {
    const again = isFirst;
    isFirst = false;
    waker.kick();
    void waker
      .sweep(again)
      .catch((error: unknown) => log.warn({ err: error }, "runs without a workflow not looked for"));
  };

  const changed = (runId?: string): void => {
    stints.wake(runId);
    waker.kick();
  };

  return {
    wake: (runId) => {
      changed(runId);
      fillSlots();
    },
    nudge: changed,
    fence: stints.fence,
    state: () => link?.state(),
    async start() {
      const activities = { advance: stints.advance };
      const { place, workflowCode, onState = () => undefined } = options;
      link = openLink({
        ...{ place, host: context.host, workflowCode, activities, clock, log, graceMs: times.graceMs },
        ...{ onState, onConnected },
      });
      waker.start();
      fillSlots();
    },
    async stop() {
      end.abort("the worker stops");
      clearTimeout(nextFill);
      await waker.stop();
      await link?.stop();
    },
  };
}
