/**
 * Drives a run for one stint, for an engine that decides between stints who drives it next.
 *
 * - `driveAWhile(context, runId, options)` takes the run (a new epoch) and performs its steps until the next one waits, the
 *   run belongs to another machine, it is closed, or the time of the stint is up. A step that is under way is not cut short.
 *   Resolves to what comes next. `wake()` means that something changed: what a step waits for is looked at again.
 *
 * A failed step is noted as the inline driver does, and tried again in a later stint. Rejects only when the run could not be
 * taken, as without Postgres.
 */
import { isTerminalRun } from "@devflow/core/enums";
import { handOver } from "../fleet/hand-over.ts";
import { ensureWorktree } from "./adopt-run.ts";
import { advance } from "./advance.ts";
import type { DriverContext, EngineContext } from "./context.ts";
import { failRun } from "./fail-run.ts";
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

/** What comes after a stint. It travels between processes, so it names times as durations: clocks differ. */
export type AfterStint =
  | { readonly kind: "go_on" }
  /** For something to change, at the latest for this long. */
  | { readonly kind: "wait"; readonly forMs: number | null }
  | { readonly kind: "moved"; readonly host: string }
  | { readonly kind: "end" };

export interface Stint {
  readonly after: Promise<AfterStint>;
  wake(): void;
}

export interface StintOptions {
  readonly budgetMs: number;
  /** This machine gives its runs away when they come to the end of a phase. */
  readonly isDraining?: () => boolean;
  /** A run of the family has to be woken: its row is committed, and somebody may tell the engine at once. */
  readonly onKin: (runId: string) => void;
  /** Aborts when the process stops: whatever is awaited is left as it is, and found again. */
  readonly stopping: AbortSignal;
}

export function driveAWhile(context: EngineContext, runId: string, options: StintOptions): Stint {
  const stint = new RunningStint(context, runId, options);
  return { after: stint.run(), wake: () => stint.wake() };
}

class RunningStint {
  private readonly context: EngineContext;
  private readonly runId: string;
  private readonly options: StintOptions;
  private step = new AbortController();
  private isWoken = false;
  private current = "take_run";
  private isReady = false;

  constructor(context: EngineContext, runId: string, options: StintOptions) {
    this.context = context;
    this.runId = runId;
    this.options = options;
  }

  wake(): void {
    this.isWoken = true;
    this.step.abort("woken");
  }

  async run(): Promise<AfterStint> {
    const { context } = this;
    const { stopping, onKin: wakeRun } = this.options;
    const driver = await takeRun(context, this.runId, stopping, { wakeRun, engine: "temporal" });
    if (!driver) return await this.whereItIs();
    const stopTranscripts = startTranscripts(driver, this.runId);
    try {
      return await this.drive(driver);
    } finally {
      await stopTranscripts();
    }
  }

  private async drive(driver: DriverContext): Promise<AfterStint> {
    const { clock } = this.context;
    const { budgetMs, stopping } = this.options;
    const until = clock.now() + budgetMs;
    for (let overtaken = 0; !stopping.aborted && clock.now() < until; ) {
      this.isWoken = false;
      this.step = new AbortController();
      try {
        const given = this.options.isDraining?.() ? await handOver(driver, this.runId) : undefined;
        if (given !== undefined) return { kind: "moved", host: given };
        const next = await this.advance(driver, AbortSignal.any([stopping, this.step.signal]));
        if (next.kind !== "go_on") return next;
        overtaken = 0;
      } catch (error) {
        if (stopping.aborted) break;
        // Woken during a wait, or the run changed between read and step: read again.
        if (this.isWoken) continue;
        if (isOvertaken(error) && ++overtaken < mostOvertakes) continue;
        return await this.failed(driver, error);
      }
    }
    return { kind: "go_on" };
  }

  private async advance(driver: DriverContext, signal: AbortSignal): Promise<AfterStint> {
    // The folder of a run that came from another machine is not there yet.
    this.current = "restore_worktree";
    if (!this.isReady) await ensureWorktree(driver, this.runId, signal);
    this.isReady = true;
    const next = await advance(driver, this.runId, signal, (step) => {
      this.current = step;
    });
    await clearFailure(driver, this.runId);
    switch (next.kind) {
      case "replaced":
        return await this.whereItIs();
      case "wait":
        return {
          kind: "wait",
          forMs: next.until === undefined ? null : Math.max(0, next.until - this.context.clock.now()),
        };
      default:
        return next;
    }
  }

  private async failed(driver: DriverContext, error: unknown): Promise<AfterStint> {
    const { clock, stepFailures } = this.context;
    const failures = (stepFailures.get(this.runId)?.failures ?? 0) + 1;
    driver.log.error({ runId: this.runId, err: error, failures }, "a step failed");
    if (verdictOn(error, failures) === "give_up") await failRun(driver, this.runId, error);
    else await noteFailure(driver, this.runId, failureOf(this.current, error, failures, clock.now()));
    return { kind: "wait", forMs: retryDelayMs(failures) };
  }

  /** Not here, or taken by another driver. */
  private async whereItIs(): Promise<AfterStint> {
    const { database, host } = this.context;
    const [run] = await database.asEngine(
      (tx) => tx<{ host: string; engine: string; state: Parameters<typeof isTerminalRun>[0]; closed: boolean }[]>`
        select host, engine, state, final_report_path is not null as closed from app.runs where id = ${this.runId}`,
    );
    if (run?.engine !== "temporal" || (isTerminalRun(run.state) && run.closed)) return { kind: "end" };
    return run.host === host ? { kind: "go_on" } : { kind: "moved", host: run.host };
  }
}
