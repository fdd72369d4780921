/** A hard pause: the turns of all active agents are interrupted. After resuming, the work is requested again. */
import { faultPoint } from "@devflow/core/fault-point";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import type { Snapshot } from "../snapshot.ts";

export async function interruptSessions(context: DriverContext, snapshot: Snapshot): Promise<void> {
  const busy = snapshot.sessions.filter(({ state }) => state === "BUSY" || state === "WAITING_FOR_APPROVAL");
  for (const session of busy) await adapterFor(context, session).interrupt(session.handle, driverCall(context));
  faultPoint("after_sessions_interrupted");
  await changeAt(context, snapshot, async (fact) => {
    for (const session of busy) await moveSession(fact, session, "artifact_timed_out");
    fact.writeRun({ interrupt_requested: false });
  });
}
