/**
 * The agents that work for the runs of this machine, to be interrupted when nobody hears of it any more: its runs may continue
 * elsewhere.
 *
 * - `busyAgents(context)` read with each beat, because Postgres is probably out of reach when it counts.
 * - `interruptAgents(context, agents)` ends their turns; what they did stays in their worktrees.
 */
import { bestEffort } from "@devflow/core/best-effort";
import type { SessionHandle } from "@devflow/session";
import type { EngineContext } from "../engine/context.ts";

export interface BusyAgent {
  readonly adapter: string;
  readonly handle: SessionHandle;
  /** Of the run's driver: a newer one has taken the agent over, and this machine has nothing to say any more. */
  readonly epoch: number;
}

export async function busyAgents({ database, host }: EngineContext): Promise<readonly BusyAgent[]> {
  return await database.asEngine(
    (tx) => tx<BusyAgent[]>`
      select s.adapter, s.handle, r.driver_epoch::float8 as epoch
      from app.sessions s join app.runs r on r.id = s.run_id and r.incarnation = s.incarnation
      where r.host = ${host} and s.state in ('BUSY', 'WAITING_FOR_APPROVAL')`,
  );
}

export async function interruptAgents({ adapters, log }: EngineContext, agents: readonly BusyAgent[]): Promise<void> {
  const { signal } = new AbortController();
  await Promise.all(
    agents.map(({ adapter, handle, epoch }) =>
      bestEffort("interrupt an agent", log, async () => await adapters[adapter]?.interrupt(handle, { epoch, signal })),
    ),
  );
}
