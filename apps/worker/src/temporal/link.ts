/**
 * The worker's connection to Temporal, for as long as the process lives.
 *
 * - `openLink(options)` connects, polls both queues, and begins again with growing delays whenever that ends, whatever it
 *   ended of. Nothing here gives up: without Temporal, decisions wait in Postgres.
 * - `client()` the connected client; undefined while there is none. `state()` for people.
 * - `stop()` lets stints under way end, and closes the connection.
 */
import type { Clock } from "@devflow/core/clock";
import type { Log } from "@devflow/core/log";
import type { EngineState } from "@devflow/protocol";
import { Client } from "@temporalio/client";
import { NativeConnection, Worker } from "@temporalio/worker";
import { hostQueue, runsQueue } from "../workflow/messages.ts";
import { engineProblem } from "./engine-state.ts";
import { installRuntime } from "./sdk-runtime.ts";
import type { TemporalPlace } from "./settings.ts";

export interface LinkOptions {
  readonly place: TemporalPlace;
  readonly host: string;
  readonly workflowCode: string;
  readonly activities: Record<string, (...words: never[]) => Promise<unknown>>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long stints may take to end when the process stops. */
  readonly graceMs: number;
  readonly onState: (state: EngineState) => void;
  readonly onConnected: () => void;
}

export interface Link {
  client(): Client | undefined;
  state(): EngineState;
  stop(): Promise<void>;
}

const retryDelaysMs = [250, 1_000, 2_000, 5_000, 10_000];
/** How often it is looked whether Temporal is there: a worker that polls notices only that nothing comes. */
const lookEveryMs = 5_000;
const requestMs = 5_000;
/** Stints wait for agents, so their number is limited by the places of the machine and not here. */
const mostStints = 1_000;

export function openLink(options: LinkOptions): Link {
  const { place, clock, log } = options;
  installRuntime(log);
  const end = new AbortController();
  let client: Client | undefined;
  let state: EngineState = stateNow({ kind: "connecting", message: `connecting to ${place.address}` });

  function stateNow(given: Pick<EngineState, "kind" | "message">): EngineState {
    return { ...given, since: new Date(clock.now()).toISOString() };
  }
  const become = (given: Pick<EngineState, "kind" | "message">) => {
    if (given.kind === state.kind && given.message === state.message) return;
    state = stateNow(given);
    log.info({ engine: state.kind, message: state.message }, "the engine's state changed");
    options.onState(state);
  };
  const failed = (error: unknown) => {
    if (end.signal.aborted) return;
    log.warn({ err: error }, "Temporal does not work");
    become(engineProblem(error, place));
  };

  /** Rejects when the namespace is not there or the key is refused. */
  const look = (connection: NativeConnection) =>
    connection.withDeadline(Date.now() + requestMs, () =>
      connection.workflowService.describeNamespace({ namespace: place.namespace }),
    );

  const watch = async (connection: NativeConnection, signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(lookEveryMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await look(connection).then(() => become(connected(place)), failed);
    }
  };

  const connectOnce = async () => {
    const connection = await NativeConnection.connect(options.place.connection);
    try {
      await look(connection);
      const workers = await createWorkers(connection, options);
      client = new Client({ connection, namespace: place.namespace });
      become(connected(place));
      options.onConnected();
      const stopLooking = new AbortController();
      const stop = () => {
        for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown();
      };
      end.signal.addEventListener("abort", stop, { once: true });
      const watching = watch(connection, AbortSignal.any([end.signal, stopLooking.signal]));
      try {
        const running = workers.map((worker) => worker.run());
        if (end.signal.aborted) stop();
        // One that ends by itself takes the others along.
        await Promise.race(running).finally(stop);
        await Promise.all(running);
      } finally {
        end.signal.removeEventListener("abort", stop);
        stopLooking.abort();
        await watching;
      }
    } finally {
      client = undefined;
      await connection.close().catch((error: unknown) => log.warn({ err: error }, "connection not closed"));
    }
  };

  const keep = async () => {
    for (let failures = 0; !end.signal.aborted; failures++) {
      const since = clock.now();
      await connectOnce().catch(failed);
      if (clock.now() - since > lookEveryMs) failures = 0;
      const delay = retryDelaysMs[Math.min(failures, retryDelaysMs.length - 1)] ?? 0;
      await clock.sleep(delay, end.signal).catch(() => undefined);
    }
  };
  const kept = keep();

  return {
    client: () => client,
    state: () => state,
    async stop() {
      end.abort("the worker stops");
      await kept;
    },
  };
}

const connected = ({ address, namespace }: TemporalPlace) =>
  ({ kind: "connected", message: `${address}, namespace ${namespace}` }) as const;

/** Workflows are the fleet's and may be advanced anywhere; stints belong to the run's machine. */
async function createWorkers(
  connection: NativeConnection,
  { place, host, workflowCode, activities, graceMs }: LinkOptions,
): Promise<readonly Worker[]> {
  const common = {
    connection,
    namespace: place.namespace,
    activities,
    identity: `devflow-worker@${host}`,
    shutdownGraceTime: graceMs,
    maxConcurrentActivityTaskExecutions: mostStints,
  };
  return await Promise.all([
    Worker.create({
      ...{ ...common, taskQueue: runsQueue, workflowBundle: { code: workflowCode } },
      // Temporal asks the worker that knows a workflow first. Of a worker that died it waits for this long: by default 10 s, by
      // which a run that moved would begin later.
      stickyQueueScheduleToStartTimeout: "2 s",
    }),
    Worker.create({ ...common, taskQueue: hostQueue(host) }),
  ]);
}
