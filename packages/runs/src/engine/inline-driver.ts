/**
 * The inline driver: runs are driven inside the server's process, and its whole state is in Postgres.
 *
 * One loop per active run takes the run (a new epoch), then calls `advance` until the run is closed. Verbs (verdicts,
 * pause, abort, answers) commit separately and wake the loop, which reads the new snapshot. After a restart every
 * unfinished run of this machine gets its loop back, and the replay rules of the steps do the rest.
 *
 * A run that another process has taken is left to it; the next `start` may take it back.
 */
import { bestEffort } from "@devflow/core/best-effort";
import { ensureWorktree } from "./adopt-run.ts";
import { advance, type Next } from "./advance.ts";
import type { DriverContext, EngineContext } from "./context.ts";
import type { RunDriver } from "./driver.ts";
import { failRun } from "./fail-run.ts";
import { eventSeqs, takeNextQueued, unfinishedRuns } from "./run-queue.ts";
import {
  clearFailure,
  failureOf,
  isOvertaken,
  mostOvertakes,
  noteFailure,
  retryDelayMs,
  verdictOn,
} from "./step-failure.ts";
import { takeRun } from "./take-run.ts";
import { startTranscripts } from "./transcripts.ts";

export function createInlineDriver(context: EngineContext): RunDriver {
  const loops = new Map<string, Loop>();
  /** Runs that another process took from this one. */
  const lost = new Set<string>();
  let isStopping = false;
  let nextFill: ReturnType<typeof setTimeout> | undefined;

  /** A run ended, waits for a person, or was queued: the next one may begin. */
  const fillSlots = (): void => {
    if (isStopping) return;
    clearTimeout(nextFill);
    takeNextQueued(context, "inline").then(
      ({ taken, isMore }) => {
        if (taken) drive(taken);
        if (taken) fillSlots();
        // The setting may be raised while runs are queued.
        else if (isMore && !isStopping) nextFill = setTimeout(fillSlots, refillMs).unref();
      },
      (error: unknown) => {
        context.log.warn({ err: error }, "the queue could not be read");
        // No other run may end or rest for long, and those that are queued would wait for it.
        if (!isStopping) nextFill = setTimeout(fillSlots, refillMs).unref();
      },
    );
  };

  const drive = (runId: string): void => {
    if (isStopping || lost.has(runId)) return;
    const known = loops.get(runId);
    if (known) {
      known.wake();
      return;
    }
    const loop = new Loop(context, runId, {
      onKin: drive,
      onResting: fillSlots,
      onEnded: (ending) => {
        loops.delete(runId);
        context.stepFailures.delete(runId);
        if (ending === "replaced") lost.add(runId);
        fillSlots();
      },
    });
    loops.set(runId, loop);
    loop.start();
  };

  /**
   * Only those with new events: waking a driver interrupts what its step waits for, and a step that is interrupted again and
   * again never ends.
   */
  const nudgeChanged = async (): Promise<void> => {
    if (loops.size === 0) return;
    for (const [runId, seq] of await eventSeqs(context, [...loops.keys()])) loops.get(runId)?.wakeAfter(seq);
  };

  return {
    wake: drive,
    nudge(runId) {
      if (runId !== undefined) loops.get(runId)?.wake();
      else void bestEffort("look for changed runs", context.log, nudgeChanged);
    },
    async start() {
      lost.clear();
      for (const runId of await unfinishedRuns(context, "inline")) drive(runId);
      fillSlots();
    },
    async stop() {
      isStopping = true;
      clearTimeout(nextFill);
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
    },
  };
}

type Ending = "closed" | "replaced" | "stopped";

interface LoopEvents {
  /** Something changed for its parent or one of its lanes. */
  onKin(runId: string): void;
  /** The run waits: for a person, or for a slot. */
  onResting(): void;
  onEnded(ending: Ending): void;
}

const refillMs = 2_000;
/** A driver that worked this long is not one that keeps dying. */
const soundMs = 60_000;
/** Timers count to 2^31 ms; a longer wait is split. */
const longestRestMs = 24 * 3_600_000;

/** Drives one run until it is closed. A step that fails because of the machine is retried with increasing delays. */
class Loop {
  private readonly context: EngineContext;
  private readonly runId: string;
  private readonly events: LoopEvents;
  private readonly end = new AbortController();
  private step = new AbortController();
  private isWoken = false;
  private current = "take_run";
  private seenSeq = 0;
  private running: Promise<void> = Promise.resolve();

  constructor(context: EngineContext, runId: string, events: LoopEvents) {
    this.context = context;
    this.runId = runId;
    this.events = events;
  }

  start(): void {
    this.running = this.keepRunning().then(this.events.onEnded);
  }

  /** A driver that dies is started again, whatever it died of: its run must not stand still until the next restart. */
  private async keepRunning(): Promise<Ending> {
    for (let deaths = 1; ; deaths++) {
      const since = this.context.clock.now();
      try {
        return await this.run();
      } catch (error) {
        if (this.end.signal.aborted) return "stopped";
        if (this.context.clock.now() - since > soundMs) deaths = 1;
        await bestEffort("drive a run", this.context.log, () => Promise.reject(error));
        await this.note(this.context, error, deaths);
        await this.pauseAfter(deaths);
      }
    }
  }

  /** Something changed from outside: check again whatever is awaited. */
  wake(): void {
    this.isWoken = true;
    this.step.abort("woken");
  }

  /** Wakes it once for each event that it may not have seen. */
  wakeAfter(seq: number): void {
    if (seq <= this.seenSeq) return;
    this.seenSeq = seq;
    this.wake();
  }

  async stop(): Promise<void> {
    this.end.abort("engine stops");
    this.step.abort("engine stops");
    await this.running;
  }

  private async run(): Promise<Ending> {
    const driver = await this.take();
    if (!driver) return "closed";
    await this.ready(driver);
    const stopTranscripts = startTranscripts(driver, this.runId);
    try {
      return await this.drive(driver);
    } finally {
      await stopTranscripts();
    }
  }

  /** Postgres may be unavailable for a while; that never ends a run. */
  private async take(): Promise<DriverContext | undefined> {
    this.current = "take_run";
    for (let failures = 0; !this.end.signal.aborted; failures++) {
      try {
        const driver = await takeRun(this.context, this.runId, this.end.signal, { wakeRun: this.events.onKin });
        this.context.stepFailures.delete(this.runId);
        return driver;
      } catch (error) {
        this.context.log.error({ runId: this.runId, err: error, failures }, "the run could not be taken");
        await this.note(this.context, error, failures + 1);
        await this.pauseAfter(failures + 1);
      }
    }
    return undefined;
  }

  /** The folder of an adopted or restored run is not there yet. */
  private async ready(driver: DriverContext): Promise<void> {
    this.current = "restore_worktree";
    await ensureWorktree(driver, this.runId, this.end.signal);
  }

  private async drive(driver: DriverContext): Promise<Ending> {
    let failures = 0;
    let overtaken = 0;
    while (!this.end.signal.aborted) {
      this.isWoken = false;
      this.step = new AbortController();
      const signal = AbortSignal.any([this.end.signal, this.step.signal]);
      try {
        const next = await advance(driver, this.runId, signal, (step) => {
          this.current = step;
        });
        await clearFailure(driver, this.runId);
        if (next.kind === "end") return "closed";
        if (next.kind === "replaced") return "replaced";
        if (next.kind === "wait") {
          this.events.onResting();
          await this.rest(next, signal);
        }
        failures = 0;
        overtaken = 0;
      } catch (error) {
        if (this.end.signal.aborted) break;
        // Woken during a wait, or the run changed between read and step: read again.
        if (this.isWoken) continue;
        // So many conflicts in a row are not a race: the step itself asks for an illegal transition.
        if (isOvertaken(error) && ++overtaken < mostOvertakes) continue;
        failures += 1;
        await this.failed(driver, error, failures);
        await this.pauseAfter(failures);
      }
    }
    return "stopped";
  }

  private async rest({ until }: Next & { kind: "wait" }, signal: AbortSignal): Promise<void> {
    if (until !== undefined) {
      const ms = Math.min(longestRestMs, Math.max(0, until - this.context.clock.now()));
      await this.context.clock.sleep(ms, signal).catch(() => undefined);
      return;
    }
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  private async pauseAfter(failures: number): Promise<void> {
    await this.context.clock.sleep(retryDelayMs(failures), this.end.signal).catch(() => undefined);
  }

  private async note(context: EngineContext, error: unknown, failures: number): Promise<void> {
    await noteFailure(context, this.runId, failureOf(this.current, error, failures, this.context.clock.now()));
  }

  private async failed(driver: DriverContext, error: unknown, failures: number): Promise<void> {
    driver.log.error({ runId: this.runId, err: error, failures }, "a step failed");
    if (verdictOn(error, failures) === "retry") await this.note(driver, error, failures);
    else await failRun(driver, this.runId, error);
  }
}
