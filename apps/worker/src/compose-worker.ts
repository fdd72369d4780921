/**
 * Assembles a worker and takes it down in the right order.
 *
 * - `startWorker(options)` announces the machine, connects to Temporal and drives the runs of this machine until `stop()`.
 *   Temporal may be away; Postgres may not at the start.
 */
import { hostname } from "node:os";
import type { Config, Environment } from "@devflow/core/config";
import { findExecutable } from "@devflow/core/find-executable";
import { homeAt } from "@devflow/core/home";
import type { Log } from "@devflow/core/log";
import { machineId } from "@devflow/core/machine-id";
import { version } from "@devflow/core/version";
import type { Database } from "@devflow/db";
import { findOwnAgents, findShippedAgents, openRuns, readBackends } from "@devflow/runs";
import { openDatabaseClock } from "./database-clock.ts";
import { openPresence, type PresenceTimes } from "./presence.ts";
import { temporalPlace } from "./temporal/settings.ts";
import { createTemporalDriver, type DriverTimes, type TemporalDriver } from "./temporal/temporal-driver.ts";
import { workflowCode } from "./workflow/workflow-code.ts";

export interface WorkerOptions {
  readonly config: Config;
  readonly database: Database;
  readonly env: Environment;
  readonly log: Log;
  /** How to start this program again, for the processes of agents. */
  readonly selfArgv: readonly string[];
  readonly times?: Partial<DriverTimes>;
  readonly presence?: Partial<PresenceTimes>;
  readonly fakeDelayMs?: number;
}

export interface RunningWorker {
  readonly host: string;
  /** Resolves when a person removed this machine. */
  readonly removed: Promise<void>;
  stop(): Promise<void>;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, database, env, log, selfArgv } = options;
  const place = await temporalPlace(config);
  const host = await machineId(homeAt(config.home));
  const clock = await openDatabaseClock(database);
  const find = (program: string) => findExecutable([program], env);
  const { backends } = await readBackends(config.home);
  const agents = [
    ...(await findShippedAgents({ find, agentsIn: config.agentsIn })),
    ...(await findOwnAgents(backends, find)),
  ];
  const code = await workflowCode();
  let driver: TemporalDriver | undefined;
  let isDraining = false;
  const runs = await openRuns({
    ...{ database, log, clock, env, host, agents, engine: "temporal" },
    home: config.home,
    workspaceRoot: config.workspaceRoot,
    passEnvironment: config.passEnvironment,
    maxConcurrentRuns: () => config.maxConcurrentRuns,
    forges: () => config.forges,
    webhook: () => config.webhookUrl && { url: config.webhookUrl, format: config.webhookFormat },
    sandbox: () => ({
      isOn: config.sandbox,
      hosts: config.sandboxHosts,
      ports: config.sandboxPorts,
      readable: config.sandboxRead,
    }),
    fakeAgentCommand: [...selfArgv, "fake-agent"],
    holderCommand: [...selfArgv, "session-holder"],
    hookCommand: [...selfArgv, "session-hook"],
    insideCommand: [...selfArgv, "sandbox-inside"],
    ...(options.fakeDelayMs === undefined ? {} : { fakeDelayMs: options.fakeDelayMs }),
    driver: {
      engine: "temporal",
      create(context) {
        driver = createTemporalDriver(context, {
          place,
          workflowCode: code,
          isDraining: () => isDraining,
          ...(options.times ? { times: options.times } : {}),
        });
        return driver;
      },
    },
  });
  const removed = Promise.withResolvers<void>();
  // Announced before anything is driven: a machine that nobody watches must not have runs.
  const presence = await openPresence({
    ...{ context: runs.context, log, onRemoved: removed.resolve },
    about: {
      ...{ host, version, name: hostname(), labels: config.workerLabels, repositories: config.workerRepositories },
      agents: [
        { backend: "fake", available: true },
        ...agents.map(({ backend, available }) => ({ backend, available })),
      ],
      places: config.maxConcurrentRuns,
      workspaceRoot: runs.context.workspaceRoot,
      publicKey: runs.context.signer.publicKey,
      isOfToken: config.workerToken !== undefined,
    },
    times: {
      beatMs: config.workerBeatSeconds * 1_000,
      suspectMs: config.workerSuspectSeconds * 1_000,
      lostMs: config.workerLostSeconds * 1_000,
      ...options.presence,
    },
    engine: () =>
      driver?.state() ?? { kind: "connecting", message: place.address, since: new Date(clock.now()).toISOString() },
    onFenced: (isFenced) => driver?.fence(isFenced),
    onDraining: (told) => {
      isDraining = told;
    },
  });
  try {
    await runs.start();
  } catch (error) {
    await presence.stop();
    clock.stop();
    throw error;
  }
  return {
    host,
    removed: removed.promise,
    async stop() {
      await runs.stop();
      await presence.stop();
      clock.stop();
    },
  };
}
