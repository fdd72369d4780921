/** The delivery of every prompt of the attempt is confirmed: from now on its files are awaited. */
import { eventKey } from "../../events/event-types.ts";
import { changeAt, type DriverContext } from "../context.ts";
import { owedArtifact } from "../expected-artifact.ts";
import type { PhaseRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";

export async function expectArtifacts(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instances: readonly string[],
): Promise<void> {
  await changeAt(context, snapshot, async (fact) => {
    await fact.movePhase(phase, "prompts_sent");
    for (const instance of instances) {
      const { path, schema } = owedArtifact(snapshot, phase, instance);
      fact.emit({
        type: "artifact.expected",
        key: eventKey.artifactWait("artifact.expected", phase.id, phase.attempts, path),
        phaseId: phase.id,
        payload: { phase: phase.phase_key, role: instance, attempt: phase.attempts, path, schema },
      });
    }
  });
}
