/**
 * This machine in the fleet: announced once, then a beat now and then, for as long as the worker lives.
 *
 * - `openPresence(options)` announces. When no beat was acknowledged for half of the time after which others may take this
 *   machine's runs, its agents are interrupted and `onFenced` says that nothing may be done here until one is. `onRemoved` is
 *   called when a person removed the machine.
 * - Each beat also looks for machines that are lost, so that every living worker watches the others, and for what people want
 *   removed from this one.
 *
 * Whether a beat was acknowledged in time is measured by a clock that cannot be set.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { Log } from "@devflow/core/log";
import type { EngineState } from "@devflow/protocol";
import {
  announce,
  type BusyAgent,
  beat,
  busyAgents,
  type EngineContext,
  endStrayAgents,
  farewell,
  type HostAbout,
  interruptAgents,
  performRemovals,
  takeFromLost,
  writeWorkerBeat,
} from "@devflow/runs/fleet";

export interface PresenceTimes {
  readonly beatMs: number;
  readonly suspectMs: number;
  readonly lostMs: number;
}

export interface PresenceOptions {
  readonly context: EngineContext;
  readonly about: Omit<HostAbout, "suspectMs" | "lostMs">;
  readonly times: PresenceTimes;
  readonly engine: () => EngineState;
  readonly log: Log;
  readonly onFenced: (isFenced: boolean) => void;
  readonly onDraining: (isDraining: boolean) => void;
  readonly onRemoved: () => void;
}

export interface Presence {
  stop(): Promise<void>;
}

const farewellMs = 2_000;

export async function openPresence(options: PresenceOptions): Promise<Presence> {
  const { context, times, log } = options;
  const { database } = context;
  const about = { ...options.about, suspectMs: times.suspectMs, lostMs: times.lostMs };
  await announce(database, about);
  await endStrayAgents(context);
  let acknowledgedAt = performance.now();
  let isFenced = false;
  // Different after each start.
  let beats = Date.now();
  let isStopping = false;
  let beating: Promise<void> = Promise.resolve();
  let agents: readonly BusyAgent[] = [];
  let removing: Promise<unknown> | undefined;

  const once = async (): Promise<void> => {
    const sentAt = performance.now();
    const told = await beat(database, about.host, options.engine());
    if (told.kind === "gone") return options.onRemoved();
    // Counted from when it was sent: the answer may have been on its way for long.
    acknowledgedAt = sentAt;
    if (isFenced) {
      await endStrayAgents(context);
      options.onFenced(false);
    }
    isFenced = false;
    agents = await busyAgents(context);
    beats += 1;
    // On a full disk the rest is needed all the more: removing makes room.
    await bestEffort("tell the agents that the worker lives", log, () =>
      writeWorkerBeat(context.workspaceRoot, { count: beats, limitMs: times.lostMs / 2 }),
    );
    options.onDraining(told.isDraining);
    const stopped = await takeFromLost(context);
    if (stopped.length > 0) log.warn({ runs: stopped }, "runs of a lost machine stopped at a gate");
    // Large worktrees take long, and no beat waits for them.
    removing ??= bestEffort("remove what people want removed", log, () => performRemovals(context)).finally(() => {
      removing = undefined;
    });
  };
  const guard = (): void => {
    if (isFenced || performance.now() - acknowledgedAt < times.lostMs / 2) return;
    isFenced = true;
    log.error({ host: about.host }, "no beat was acknowledged for too long: nothing more is done here");
    options.onFenced(true);
    void interruptAgents(context, agents);
  };
  const timer = setInterval(() => {
    guard();
    beating = beating.then(() =>
      isStopping ? undefined : once().catch((error: unknown) => log.warn({ err: error }, "a beat failed")),
    );
  }, times.beatMs);
  // A beat may hang for longer than the limit; the guard has a timer of its own.
  const guarding = setInterval(guard, Math.max(50, Math.min(times.beatMs, times.lostMs / 10)));
  await once();
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      clearInterval(guarding);
      await beating;
      await removing;
      // Postgres may be away, and the machine is shown as silent anyway before long.
      const told = bestEffort("tell that this worker ends", log, () => farewell(database, about.host));
      await Promise.race([told, Bun.sleep(farewellMs)]);
    },
  };
}
