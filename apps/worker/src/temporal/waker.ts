/**
 * Tells Temporal which runs changed: what commits with a change in Postgres becomes a signal, which starts the workflow if
 * there is none.
 *
 * - `kick()` something was committed; also looked for now and then, so that nothing is lost with a message.
 * - `sweep(again)` starts the workflows of this machine's unfinished runs that have none: Temporal's data was lost, somebody
 *   ended them, or the process died before it told. With `again` every one of them is told that its stint is over.
 *
 * A signal that was sent twice only causes one look too many.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import { faultPoint } from "@devflow/core/fault-point";
import type { Log } from "@devflow/core/log";
import { dueWakes, type EngineContext, unfinishedRuns, wakesDelivered } from "@devflow/runs/fleet";
import { type Client, WorkflowNotFoundError } from "@temporalio/client";
import { type RunInput, runsQueue, type StintTimes, type Wake, wakeSignal } from "../workflow/messages.ts";

export interface WakerOptions {
  readonly context: EngineContext;
  readonly client: () => Client | undefined;
  readonly times: StintTimes;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookEveryMs: number;
  readonly sweepEveryMs: number;
}

export interface Waker {
  kick(): void;
  sweep(again: boolean): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const workflowType = "run";
/** At once; each is a request of a few milliseconds. */
const mostAtOnce = 20;

export function createWaker(options: WakerOptions): Waker {
  const { context, clock, log } = options;
  const end = new AbortController();
  let kicked = Promise.withResolvers<void>();
  let running: Promise<unknown> = Promise.resolve();

  const tell = async (client: Client, runId: string, wake: Wake): Promise<void> => {
    const input: RunInput = { runId, host: wake.host, times: options.times };
    await client.withDeadline(Date.now() + 5_000, () =>
      client.workflow.signalWithStart(workflowType, {
        workflowId: runId,
        taskQueue: runsQueue,
        args: [input],
        signal: wakeSignal,
        signalArgs: [wake],
        workflowIdConflictPolicy: "USE_EXISTING",
        workflowIdReusePolicy: "ALLOW_DUPLICATE",
      }),
    );
  };

  const drain = async (): Promise<void> => {
    for (let client = options.client(); client && !end.signal.aborted; client = options.client()) {
      const due = await dueWakes(context);
      if (due.length === 0) return;
      const using = client;
      await inGroups(due, async ({ runId, host, ids, isClosed }) => {
        // A closed run has nobody to tell.
        if (!isClosed) await tell(using, runId, { host });
        faultPoint("after_wake_sent");
        await wakesDelivered(context, ids);
      });
    }
  };

  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      kicked = Promise.withResolvers<void>();
      await bestEffort("tell Temporal about changed runs", log, drain);
      const timer = clock.sleep(options.lookEveryMs, end.signal).catch(() => undefined);
      await Promise.race([kicked.promise, timer]);
    }
  };

  const hasWorkflow = async (client: Client, runId: string): Promise<boolean> => {
    try {
      const { status } = await client.withDeadline(Date.now() + 5_000, () =>
        client.workflow.getHandle(runId).describe(),
      );
      return status.name === "RUNNING";
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };

  const sweep = async (again: boolean): Promise<void> => {
    const client = options.client();
    if (!client) return;
    await inGroups(await unfinishedRuns(context, "temporal"), async (runId) => {
      if (again) await tell(client, runId, { host: context.host, again });
      else if (!(await hasWorkflow(client, runId))) await tell(client, runId, { host: context.host });
    });
  };

  const sweeping = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await clock.sleep(options.sweepEveryMs, end.signal).catch(() => undefined);
      if (!end.signal.aborted) await bestEffort("look for runs without a workflow", log, () => sweep(false));
    }
  };

  return {
    kick: () => kicked.resolve(),
    sweep,
    start() {
      running = Promise.all([loop(), sweeping()]);
    },
    async stop() {
      end.abort();
      kicked.resolve();
      await running;
    },
  };
}

async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += mostAtOnce) await Promise.all(items.slice(at, at + mostAtOnce).map(work));
}
