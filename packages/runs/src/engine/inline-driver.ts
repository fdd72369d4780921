/**
 * The inline driver: runs are driven inside the server's process, and its whole state is in Postgres.
 *
 * One loop per active run takes the run (a new epoch), then calls `advance` until the run is closed. Verbs (verdicts,
 * pause, abort, answers) commit separately and wake the loop, which reads the new snapshot. After a restart every
 * unfinished run of this machine gets its loop back, and the replay rules of the steps do the rest.
 *
 * A run that another process has taken is left to it; the next `start` may take it back.
 */
import { isTerminalRun } from "@devflow/core/enums";
import { DevflowError, toDevflowError } from "@devflow/core/errors";
import { advance, type Next } from "./advance.ts";
import { changeAsDriver, type DriverContext, type EngineContext } from "./context.ts";
import type { RunDriver } from "./driver.ts";
import { endRun } from "./end-run.ts";
import { takeNextQueued, unfinishedRuns } from "./run-queue.ts";
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
    takeNextQueued(context).then(
      ({ taken, isMore }) => {
        if (taken) drive(taken);
        if (taken) fillSlots();
        // The setting may be raised while runs are queued.
        else if (isMore && !isStopping) nextFill = setTimeout(fillSlots, refillMs).unref();
      },
      // The next run that ends or rests, or the next start, tries again.
      (error: unknown) => context.log.warn({ err: error }, "the queue could not be read"),
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
      onResting: fillSlots,
      onEnded: (ending) => {
        loops.delete(runId);
        if (ending === "replaced") lost.add(runId);
        fillSlots();
      },
    });
    loops.set(runId, loop);
    loop.start();
  };

  return {
    wake: drive,
    nudge: (runId) => loops.get(runId)?.wake(),
    async start() {
      lost.clear();
      for (const runId of await unfinishedRuns(context)) drive(runId);
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
  /** The run waits: for a person, or for a slot. */
  onResting(): void;
  onEnded(ending: Ending): void;
}

const refillMs = 2_000;
const mostOvertakes = 20;
const mostFailures = 10;
/** Timers count to 2^31 ms; a longer wait is split. */
const longestRestMs = 24 * 3_600_000;
const retryDelaysMs = [200, 1_000, 5_000, 15_000, 30_000];

/** Drives one run until it is closed. A step that fails because of the machine is retried with increasing delays. */
class Loop {
  private readonly context: EngineContext;
  private readonly runId: string;
  private readonly events: LoopEvents;
  private readonly end = new AbortController();
  private step = new AbortController();
  private isWoken = false;
  private running: Promise<void> = Promise.resolve();

  constructor(context: EngineContext, runId: string, events: LoopEvents) {
    this.context = context;
    this.runId = runId;
    this.events = events;
  }

  start(): void {
    this.running = this.run().then(this.events.onEnded);
  }

  /** Something changed from outside: check again whatever is awaited. */
  wake(): void {
    this.isWoken = true;
    this.step.abort("woken");
  }

  async stop(): Promise<void> {
    this.end.abort("engine stops");
    this.step.abort("engine stops");
    await this.running;
  }

  private async run(): Promise<Ending> {
    const driver = await this.take();
    if (!driver) return "closed";
    const stopTranscripts = startTranscripts(driver, this.runId);
    try {
      return await this.drive(driver);
    } finally {
      await stopTranscripts();
    }
  }

  /** Postgres may be unavailable for a while; that never ends a run. */
  private async take(): Promise<DriverContext | undefined> {
    for (let failures = 0; !this.end.signal.aborted; failures++) {
      try {
        return await takeRun(this.context, this.runId, this.end.signal);
      } catch (error) {
        this.context.log.error({ runId: this.runId, err: error, failures }, "the run could not be taken");
        await this.pauseAfter(failures + 1);
      }
    }
    return undefined;
  }

  private async drive(driver: DriverContext): Promise<Ending> {
    let failures = 0;
    let overtaken = 0;
    while (!this.end.signal.aborted) {
      this.isWoken = false;
      this.step = new AbortController();
      const signal = AbortSignal.any([this.end.signal, this.step.signal]);
      try {
        const next = await advance(driver, this.runId, signal);
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
    const ms = retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 30_000;
    await this.context.clock.sleep(ms, this.end.signal).catch(() => undefined);
  }

  /** A fatal or persistent error ends the run with its reason, never silently. */
  private async failed(driver: DriverContext, error: unknown, failures: number): Promise<void> {
    const known = toDevflowError(error);
    driver.log.error({ runId: this.runId, err: error, failures }, "a step failed");
    const isHopeless =
      error instanceof DevflowError && known.class !== "recoverable" && known.code !== "db_unreachable";
    if (!isHopeless && failures < mostFailures) return;
    await changeAsDriver(driver, this.runId, async (fact) => {
      if (!isTerminalRun(fact.run.state)) await endRun(fact, "failed", `${known.code}: ${known.message}`);
    }).catch((again: unknown) => driver.log.error({ runId: this.runId, err: again }, "the run could not be ended"));
  }
}

const isOvertaken = (error: unknown): boolean => error instanceof DevflowError && error.code === "illegal_transition";
