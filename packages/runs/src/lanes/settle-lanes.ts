/** Every task is merged or was given up: the phase is completed, or its first gate opens. */
import { changeAt, type DriverContext } from "../engine/context.ts";
import type { PhaseRow } from "../engine/rows.ts";
import { shownAtGate } from "../engine/shown-work.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { closeAttempt } from "../engine/steps/settle-phase.ts";

export async function settleLanes(context: DriverContext, snapshot: Snapshot, phase: PhaseRow): Promise<void> {
  const shown = await shownAtGate(context, snapshot, phase);
  await changeAt(context, snapshot, async (fact) => {
    await closeAttempt(fact, phase, shown);
    // From here on the run works itself, and needs a slot.
    if (fact.run.state === "executing") fact.writeRun({ queued: true });
  });
}
