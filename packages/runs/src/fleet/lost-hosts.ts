/**
 * Runs of machines that have been silent for too long: each stops at a gate that offers to go on elsewhere.
 *
 * - `takeFromLost(context)` looks once; every worker does so now and then, and the run's lock lets one of them act. A run that
 *   waits for a person is left where it is until the person has decided. One that has not begun stays `created` and waits. One that
 *   has nothing left to do but to end moves without a question, as soon as there is a machine for it.
 */
import { isTerminalRun, terminalRunStates } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { hasOpenRecovery } from "../approvals/approval-repository.ts";
import type { EngineContext } from "../engine/context.ts";
import { change } from "../engine/context.ts";
import type { RunFact } from "../engine/fact.ts";
import { currentPhase } from "../engine/next-step.ts";
import { slotStates } from "../engine/run-machine.ts";
import { loadSnapshot } from "../engine/snapshot.ts";
import { askRecovery, failPhase, requestRecovery } from "../engine/steps/phase-steps.ts";
import { howLong } from "./host-row.ts";
import { moveRun, otherHost } from "./move-run.ts";

/** The recovery gate of a lost machine; trying again moves the run. */
export const machineLost = "machine_lost";

export async function takeFromLost(context: EngineContext): Promise<readonly string[]> {
  const { database } = context;
  const lost = await database.asEngine(async (tx) => {
    await tx`update app.hosts h set lost_at = now() where app.host_state(h) = 'lost' and lost_at is null`;
    return await tx<{ id: string; host: string; silent: number }[]>`
      select r.id, app.host_name(h.host) as host, extract(epoch from now() - h.beat_at)::float8 * 1000 as silent
      from app.runs r join app.hosts h on h.host = r.host
      where h.lost_at is not null and app.host_state(h) in ('lost', 'removed') and r.engine = 'temporal'
        and (r.state in ${tx(slotStates)} or (r.state in ${tx(terminalRunStates)} and r.final_report_path is null))
        and not exists (select from app.approval_requests a where a.run_id = r.id and a.kind = 'recovery' and a.state = 'pending')`;
  });
  const stopped: string[] = [];
  for (const { id, host, silent } of lost) if (await stopAtGate(context, id, host, silent)) stopped.push(id);
  return stopped;
}

async function stopAtGate(context: EngineContext, runId: string, name: string, silentMs: number): Promise<boolean> {
  return await change(context, runId, async (fact) => {
    const { tx, run } = fact;
    const [still] = await tx`
      select from app.hosts h where h.host = ${run.host} and app.host_state(h) in ('lost', 'removed')`;
    if (!still || (await hasOpenRecovery(fact))) return false;
    const snapshot = await loadSnapshot(tx, runId);
    const phase = snapshot && !isTerminalRun(run.state) ? currentPhase(snapshot) : undefined;
    if (!phase) {
      if (run.final_report_path === null) await endElsewhere(fact);
      return false;
    }
    if (!(slotStates as readonly string[]).includes(run.state)) return false;
    // Whatever the lost machine still tries from here on is refused.
    await tx`update app.runs set driver_epoch = driver_epoch + 1 where id = ${runId}`;
    const reason = `the machine ${name} has not been heard of for ${howLong(silentMs)}; trying again goes on elsewhere, from the last pushed commit`;
    // A phase that has not begun may lose its machine more than once.
    const about = { subject: String(run.event_seq) };
    if (run.state === "created") await requestRecovery(fact, phase, machineLost, reason, about);
    // Nothing of a phase of lanes is lost: they are on the remote, or still at work elsewhere.
    else if (phase.state === "pending" || phase.kind === "lanes")
      await askRecovery(fact, phase, machineLost, reason, about);
    else await failPhase(fact, phase, machineLost, reason);
    return true;
  });
}

/** Nothing is begun again, so nobody has to be asked. Without a machine for it, it is tried with the next look. */
async function endElsewhere(fact: RunFact): Promise<void> {
  const host = await otherHost(fact).catch((error: unknown) => {
    if (error instanceof DevflowError && error.code === "conflict") return undefined;
    throw error;
  });
  if (host) await moveRun(fact, host, "its machine is lost, and only its end was left");
}
