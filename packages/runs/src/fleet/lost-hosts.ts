/**
 * Runs of machines that have been silent for too long: each stops at a gate that offers to go on elsewhere.
 *
 * - `takeFromLost(context)` looks once; every worker does so now and then, and the run's lock lets one of them act. A run that
 *   waits for a person is left where it is until the person has decided. One that has not begun stays `created` and waits.
 */
import { hasOpenRecovery } from "../approvals/approval-repository.ts";
import type { EngineContext } from "../engine/context.ts";
import { change } from "../engine/context.ts";
import { currentPhase } from "../engine/next-step.ts";
import { slotStates } from "../engine/run-machine.ts";
import { loadSnapshot } from "../engine/snapshot.ts";
import { askRecovery, failPhase, requestRecovery } from "../engine/steps/phase-steps.ts";

/** The recovery gate of a lost machine; trying again moves the run. */
export const machineLost = "machine_lost";

export async function takeFromLost(context: EngineContext): Promise<readonly string[]> {
  const { database } = context;
  const lost = await database.asEngine(async (tx) => {
    await tx`update app.hosts h set lost_at = now() where app.host_state(h) = 'lost' and lost_at is null`;
    return await tx<{ id: string; host: string; silent: string }[]>`
      select r.id, h.name as host, to_char(now() - h.beat_at, 'HH24:MI:SS') as silent
      from app.runs r join app.hosts h on h.host = r.host
      where h.lost_at is not null and app.host_state(h) in ('lost', 'removed') and r.engine = 'temporal'
        and r.state in ${tx(slotStates)}
        and not exists (select from app.approval_requests a where a.run_id = r.id and a.kind = 'recovery' and a.state = 'pending')`;
  });
  const stopped: string[] = [];
  for (const { id, host, silent } of lost) if (await stopAtGate(context, id, host, silent)) stopped.push(id);
  return stopped;
}

async function stopAtGate(context: EngineContext, runId: string, name: string, silent: string): Promise<boolean> {
  return await change(context, runId, async (fact) => {
    const { tx, run } = fact;
    const [still] = await tx`
      select from app.hosts h where h.host = ${run.host} and app.host_state(h) in ('lost', 'removed')`;
    if (!still || (await hasOpenRecovery(fact)) || !(slotStates as readonly string[]).includes(run.state)) return false;
    const snapshot = await loadSnapshot(tx, runId);
    const phase = snapshot && currentPhase(snapshot);
    if (!phase) return false;
    // Whatever the lost machine still tries from here on is refused.
    await tx`update app.runs set driver_epoch = driver_epoch + 1 where id = ${runId}`;
    const reason = `the machine ${name} has not been heard of for ${silent}; trying again goes on elsewhere, from the last pushed commit`;
    // A phase that has not begun may lose its machine more than once.
    const about = { subject: String(run.event_seq) };
    if (run.state === "created") await requestRecovery(fact, phase, machineLost, reason, about);
    else if (phase.state === "pending") await askRecovery(fact, phase, machineLost, reason, about);
    else await failPhase(fact, phase, machineLost, reason);
    return true;
  });
}
