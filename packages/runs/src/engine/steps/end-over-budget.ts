/**
 * The budget is spent in the middle of a phase: agents in a turn are interrupted, and a person is asked. Turns that were
 * already over count: then the gate comes before the next phase.
 */
import { faultPoint } from "@devflow/core/fault-point";
import { eventKey } from "../../events/event-types.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { currentSession, moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import { budgetReached } from "../next-step.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { failPhase } from "./phase-steps.ts";

export async function endOverBudget(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  reason: string,
): Promise<void> {
  const busy = snapshot.sessions.filter(({ state }) => state === "BUSY" || state === "WAITING_FOR_APPROVAL");
  for (const session of busy) await adapterFor(context, session).interrupt(session.handle, driverCall(context));
  faultPoint("after_sessions_interrupted");
  if (phase.state === "awaiting_artifact" && (await areDone(context, busy))) {
    return await changeAt(context, snapshot, async (fact) => {
      await fact.movePhase(phase, "artifacts_appeared");
    });
  }
  await changeAt(context, snapshot, async (fact) => {
    for (const { id } of busy) await moveSession(fact, await currentSession(fact, id), "idle");
    fact.emit({
      type: "budget.reached",
      key: eventKey.budget(phase.id, phase.attempts),
      phaseId: phase.id,
      payload: { phase: phase.phase_key, reason, ...snapshot.spent },
    });
    await failPhase(fact, phase, budgetReached, reason);
  });
}

/** After the interrupt every turn has ended; how is in the facts. */
async function areDone(context: DriverContext, sessions: readonly SessionRow[]): Promise<boolean> {
  for (const session of sessions) {
    const end = AbortSignal.any([AbortSignal.timeout(5_000), context.stopping]);
    let isDone = false;
    for await (const fact of adapterFor(context, session).facts(session.handle, session.last_fact_seq, end)) {
      if (fact.kind !== "idle" || fact.dedupKey !== session.last_prompt_hash) continue;
      isDone = fact.outcome === "done";
      break;
    }
    if (!isDone) return false;
  }
  return true;
}
