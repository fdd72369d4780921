/**
 * The engine's dependencies: everything outside it that it touches.
 *
 * - `EngineContext` is what verbs need; a driver adds the epoch it took (`DriverContext`).
 * - `change` commits what a person or the engine itself decided.
 * - `changeAt` commits the result of a step, only while its driver owns the run and the run is as the step saw it.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Clock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/config";
import type { Backend, EngineName } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import type { PricedUsage, Usage } from "@devflow/prices";
import type { StepFailure } from "@devflow/protocol";
import type { DriverCall, SessionAdapter } from "@devflow/session";
import type { BackendAvailability } from "../binding/bind.ts";
import type { RunBrain } from "../brain/index.ts";
import { type Actor, engineActor } from "../events/actor.ts";
import type { ChainedEvent } from "../events/chain.ts";
import { openLanes, tellsLanes, tellsParent } from "../lanes/wake-kin.ts";
import { changeRun, illegalTransition, type RunFact } from "./fact.ts";
import type { RunRow } from "./rows.ts";

export interface EngineContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** This machine's id; runs of other machines are left alone. */
  readonly host: string;
  /** The engine of new runs. */
  readonly engine: EngineName;
  /** Devflow's home, where the person's own schemas are. */
  readonly home: string;
  /** Where new runs get their folders. A run's own paths are in its row. */
  readonly workspaceRoot: string;
  /** By the name that sessions store. */
  readonly adapters: Readonly<Record<string, SessionAdapter>>;
  readonly backends: Readonly<Record<Backend, BackendAvailability>>;
  /** This process's own. Agents and commands get only part of it; see `childEnvironment` in `@devflow/harness`. */
  readonly env: Environment;
  /** Names of variables that the person lets agents and commands have. */
  readonly passEnvironment: readonly string[];
  /** How many runs may be at work at once, as configured now. */
  maxConcurrentRuns(): number;
  /** The setting `forges`, as configured now. */
  forges(): readonly string[];
  /** The person's settings `sandbox…`, as configured now. */
  sandbox(): SandboxSettings;
  readonly timing: EngineTiming;
  readonly signer: ChainSigner;
  /** What the team knows; absent where nobody composed it. */
  readonly brain?: Pick<RunBrain, "contextFor">;
  /** Runs whose next step failed and is tried again, by id; see step-failure.ts. */
  readonly stepFailures: Map<string, StepFailure>;
  /** Prices an agent's tokens when it does not report a cost. */
  price(usage: Usage, at: Date): Promise<PricedUsage>;
  onCommitted(runId: string, events: readonly ChainedEvent[]): void;
  onTranscript(runId: string, sessionId: string, seq: number): void;
}

export interface SandboxSettings {
  readonly isOn: boolean;
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
  /** Folders of the home that agents may read. */
  readonly readable: readonly string[];
}

export const noSandbox: SandboxSettings = { isOn: false, hosts: [], ports: [], readable: [] };

/** One driver's view of one run, from taking it to releasing it. */
export interface DriverContext extends EngineContext {
  /** `runs.driver_epoch` as this driver took it. */
  readonly epoch: number;
  /** Aborts when the driver stops. */
  readonly stopping: AbortSignal;
  /** Something changed for another run: its driver looks again, or begins. */
  wakeRun(runId: string): void;
}

export interface EngineTiming {
  /** When its file is complete and an agent says nothing more for this long, its turn counts as ended. */
  readonly quietMs: number;
  /** An agent that shows no sign of life for this long hangs, and is restarted. */
  readonly silenceMs: number;
  readonly phaseTimeoutMs: number;
  readonly commandTimeoutMs: number;
}

export const defaultTiming: EngineTiming = {
  quietMs: 120_000,
  silenceMs: 20 * 60_000,
  phaseTimeoutMs: 30 * 60_000,
  commandTimeoutMs: 30 * 60_000,
};

/** Signs the head of a run's event chain. */
export interface ChainSigner {
  readonly publicKey: string;
  sign(text: string): string;
}

export function change<T>(
  context: EngineContext,
  runId: string,
  work: (fact: RunFact) => Promise<T>,
  actor: Actor = engineActor,
): Promise<T> {
  return commit(context, runId, work, actor, true);
}

function commit<T>(
  context: EngineContext,
  runId: string,
  work: (fact: RunFact) => Promise<T>,
  actor: Actor,
  wakes: boolean,
): Promise<T> {
  return changeRun(context.database, runId, actor, work, {
    wakes,
    clock: context.clock,
    maxConcurrentRuns: () => context.maxConcurrentRuns(),
    onCommitted: (events) => context.onCommitted(runId, events),
  });
}

/** Refused when another driver has taken the run. */
export function changeAsDriver<T>(
  context: DriverContext,
  runId: string,
  work: (fact: RunFact) => Promise<T>,
): Promise<T> {
  let parent: string | null = null;
  const onCommitted = (id: string, events: readonly ChainedEvent[]): void => {
    context.onCommitted(id, events);
    if (parent !== null && tellsParent(events)) context.wakeRun(parent);
    if (parent === null && tellsLanes(events))
      void bestEffort("wake the lanes of a run", context.log, async () => {
        for (const lane of await openLanes(context.database, id)) context.wakeRun(lane);
      });
  };
  const asOwner = (fact: RunFact) => {
    parent = fact.run.parent_run_id;
    const newest = fact.run.driver_epoch;
    if (newest === context.epoch) return work(fact);
    throw new DevflowError("driver_replaced", { details: { epoch: context.epoch, newest } });
  };
  // The driver looks at the run next anyway; nobody has to tell it.
  return commit({ ...context, onCommitted }, runId, asOwner, engineActor, false);
}

/**
 * Committed only while the run is still what the step was decided on: if someone paused, ended or decided it meanwhile,
 * they were first, and the driver reads it again.
 */
export function changeAt<T>(
  context: DriverContext,
  { run }: { readonly run: Pick<RunRow, "id" | "state"> },
  work: (fact: RunFact) => Promise<T>,
): Promise<T> {
  return changeAsDriver(context, run.id, (fact) => {
    if (fact.run.state === run.state) return work(fact);
    throw illegalTransition(`Run ${run.id}`, fact.run.state, "advanced");
  });
}

export const driverCall = ({ epoch, stopping }: DriverContext): DriverCall => ({ epoch, signal: stopping });
