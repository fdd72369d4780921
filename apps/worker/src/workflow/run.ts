/**
 * The workflow of a run. It knows almost nothing: Postgres has the run, and the activity `advance` does the work on the
 * run's machine and says what comes next.
 *
 * Signals lose nothing: `woken` is cleared before each look, and every execution begins by looking, so a signal that comes
 * too late for one look causes the next. This file is bundled apart and runs in Temporal's sandbox: it imports nothing that
 * does I/O, and a change to the order of its commands breaks the replay of old histories, which a test holds against it.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from "@temporalio/workflow";
import { hostQueue, type RunInput, runsQueue, type StintTimes, type Wake, wakeSignal } from "./messages.ts";

/** As `AfterStint` of the runs package; see there. */
type After =
  | { readonly kind: "go_on" | "end" }
  | { readonly kind: "wait"; readonly forMs: number | null }
  | { readonly kind: "moved"; readonly host: string };

interface Activities {
  advance(runId: string): Promise<After>;
}

const wake = defineSignal<[Wake]>(wakeSignal);

export async function run({ runId, host, times }: RunInput): Promise<void> {
  let at = host;
  let isWoken = false;
  let stint: CancellationScope | undefined;
  setHandler(wake, (given) => {
    isWoken = true;
    if (!given.again && given.host === at) return;
    at = given.host;
    stint?.cancel();
  });

  const advanceOn = async (queue: string): Promise<After | undefined> => {
    stint = new CancellationScope();
    try {
      return await stint.run(() => activitiesOn(queue, times).advance(runId));
    } catch (error) {
      if (wasNotTaken(error)) return undefined;
      // Ended by `wake`, to begin again; everything else, such as an operator's cancellation, ends the workflow.
      if (isCancellation(error) && !CancellationScope.current().consideredCancelled) return { kind: "go_on" };
      throw error;
    } finally {
      stint = undefined;
    }
  };

  while (!workflowInfo().continueAsNewSuggested) {
    isWoken = false;
    const next = await advanceOn(hostQueue(at));
    if (next?.kind === "end") return;
    if (next?.kind === "moved") at = next.host;
    if (next?.kind === "wait") await untilWoken(() => isWoken, next.forMs);
    if (next) continue;
    // Its machine took nothing up. Any other one can say whether the run has moved.
    const told = await advanceOn(runsQueue);
    if (told?.kind === "end") return;
    if (told?.kind === "moved" && told.host !== at) at = told.host;
    else await untilWoken(() => isWoken, times.toStartMs);
  }
  await continueAsNew<typeof run>({ runId, host: at, times });
}

async function untilWoken(isWoken: () => boolean, forMs: number | null): Promise<void> {
  if (forMs === null) await condition(isWoken);
  else if (forMs > 0) await condition(isWoken, forMs);
}

const activitiesOn = (taskQueue: string, { heartbeatMs, toStartMs }: StintTimes): Activities =>
  proxyActivities<Activities>({
    taskQueue,
    heartbeatTimeout: heartbeatMs,
    scheduleToStartTimeout: toStartMs,
    // A step may run a command for as long as the person lets it; a dead worker is found by its heartbeats.
    startToCloseTimeout: "7 days",
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    // Without an end: what fails here is the machine, and a run never fails because of that.
    retry: { initialInterval: 200, backoffCoefficient: 3, maximumInterval: 30_000 },
  });

const wasNotTaken = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === "SCHEDULE_TO_START";
