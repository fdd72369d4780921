/** What the engine's steps are given: everything outside of them that they touch. */
import { join } from "node:path";
import type { Clock } from "@devflow/core/clock";
import type { Environment } from "@devflow/core/config";
import type { Backend } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import type { Log } from "@devflow/core/log";
import type { Database } from "@devflow/db";
import type { SessionAdapter } from "@devflow/session";
import type { BackendAvailability } from "../binding/bind.ts";
import { type Actor, engineActor } from "../events/actor.ts";
import type { ChainedEvent } from "../events/chain.ts";
import { changeRun, type RunFact } from "./fact.ts";
import type { RunRow } from "./rows.ts";

export interface EngineContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** This machine; runs of others are left alone. */
  readonly host: string;
  readonly workspaceRoot: string;
  readonly adapters: Readonly<Partial<Record<Backend, SessionAdapter>>>;
  readonly backends: Readonly<Record<Backend, BackendAvailability>>;
  readonly env: Environment;
  readonly maxConcurrentRuns: number;
  readonly timing: EngineTiming;
  readonly signer: ChainSigner;
  onCommitted(runId: string, events: readonly ChainedEvent[]): void;
  onTranscript(runId: string, sessionId: string, seq: number): void;
}

export interface EngineTiming {
  readonly debounceMs: number;
  readonly unfinishedMs: number;
  readonly phaseTimeoutMs: number;
  readonly commandTimeoutMs: number;
}

export const defaultTiming: EngineTiming = {
  debounceMs: 500,
  unfinishedMs: 2_000,
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
  return changeRun(context.database, runId, actor, work, {
    clock: context.clock,
    onCommitted: (events) => context.onCommitted(runId, events),
  });
}

/**
 * What a step of the engine found out, recorded only when the run still is what the step was decided on: whoever
 * paused, ended or decided it meanwhile was first, and the driver looks again.
 */
export function changeAt<T>(
  context: EngineContext,
  { run }: { readonly run: Pick<RunRow, "id" | "state"> },
  work: (fact: RunFact) => Promise<T>,
): Promise<T> {
  return change(context, run.id, (fact) => {
    if (fact.run.state === run.state) return work(fact);
    const details = { what: `Run ${run.id}`, state: fact.run.state, wanted: "advanced", next: "" };
    throw new DevflowError("illegal_transition", { details });
  });
}

export const runFolder = ({ workspaceRoot }: Pick<EngineContext, "workspaceRoot">, runId: string): string =>
  join(workspaceRoot, runId);
