/**
 * A step that failed: what, why, and when it is tried again, for everybody who looks at the run.
 *
 * - `failureOf(step, error, failures, now)` pure: what is shown.
 * - `verdictOn(error, failures)` pure: `retry`, or `give_up` when no retry can help.
 * - `isOvertaken(error)` pure: somebody else changed the run first; look again.
 * - `noteFailure(context, runId, failure)`, `clearFailure(context, runId)` keep it in memory and, if Postgres takes it, in
 *   the run's row. On a full disk the memory of the process that drives the run is all there is.
 * - `shownFailure(context, runId, stored)` what a reader is told.
 */
import { bestEffort } from "@devflow/core/best-effort";
import { DevflowError, toDevflowError } from "@devflow/core/errors";
import type { StepFailure } from "@devflow/protocol";
import { redactSecrets, safeText } from "@devflow/redact";
import type { DriverContext, EngineContext } from "./context.ts";

const retryDelaysMs = [200, 1_000, 5_000, 15_000, 30_000];
const mostFailures = 10;
/** So many in a row are not a race: the step itself asks for an illegal transition. */
export const mostOvertakes = 20;

/** Faults of the machine that pass without anyone changing the run: a run waits for as long as they last. */
const passing: ReadonlySet<string> = new Set([
  ...["db_unreachable", "db_start_failed", "db_read_only", "disk_full"],
  // The remote is away, or the machine has no access to it yet.
  ...["repository_unreachable", "push_failed"],
]);

/** In the words of git and other programs, whose exit codes tell less. */
const fullDisk = /no space left on device|disk quota exceeded|\bENOSPC\b|\bEDQUOT\b/i;

export function retryDelayMs(failures: number): number {
  return retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 30_000;
}

export function verdictOn(error: unknown, failures: number): "retry" | "give_up" {
  const { code, class: errorClass, message } = toDevflowError(error);
  if (passing.has(code) || fullDisk.test(message)) return "retry";
  const isHopeless = error instanceof DevflowError && errorClass !== "recoverable";
  return isHopeless || failures >= mostFailures ? "give_up" : "retry";
}

/** The run changed between the look at it and the step. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof DevflowError && error.code === "illegal_transition";

export function failureOf(step: string, error: unknown, failures: number, now: number): StepFailure {
  const { code, message, hint } = toDevflowError(error);
  return {
    step,
    code,
    reason: safeText(redactSecrets(message.slice(0, 2_000)).text).value,
    hint: code === "internal" ? "See the log: devflow logs" : hint,
    failures,
    at: new Date(now).toISOString(),
    nextTryAt: new Date(now + retryDelayMs(failures)).toISOString(),
  };
}

export async function noteFailure(context: Noting, runId: string, failure: StepFailure): Promise<void> {
  context.stepFailures.set(runId, failure);
  // Without Postgres there is nothing to store it in, and nobody can read the run either.
  if (failure.code !== "db_unreachable") await store(context, runId, failure);
  context.onCommitted(runId, []);
}

export async function clearFailure(context: DriverContext, runId: string): Promise<void> {
  if (!context.stepFailures.delete(runId)) return;
  await store(context, runId, null);
  context.onCommitted(runId, []);
}

export const shownFailure = (
  { stepFailures }: EngineContext,
  runId: string,
  stored: StepFailure | null,
): StepFailure | null => stepFailures.get(runId) ?? stored;

/** A driver, or one that could not take its run yet. */
type Noting = EngineContext | DriverContext;

async function store(context: Noting, runId: string, failure: StepFailure | null): Promise<void> {
  const { database, log, host } = context;
  const epoch = "epoch" in context ? context.epoch : undefined;
  await bestEffort("record a step failure", log, () =>
    database.asEngine(
      (tx) => tx`
        update app.runs set step_failure = ${failure === null ? null : tx.json(failure)}
        where id = ${runId} and host = ${host} ${epoch === undefined ? tx`` : tx`and driver_epoch = ${epoch}`}`,
    ),
  );
}
