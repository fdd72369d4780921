/**
 * Prompts an agent in three steps that each survive a crash: the intent is recorded (BUSY with this key), the prompt is
 * delivered under its key and acknowledged by the agent itself, and the delivery is recorded. A crash between any two
 * leads back here, and the key makes a second delivery harmless.
 */
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { type PromptEnvelope, recoveryLimits, type SessionHandle } from "@devflow/session";
import { clearPlace } from "../../artifacts/index.ts";
import { giveAttachments } from "../../attachments/give-attachments.ts";
import { promptAttachments } from "../../attachments/given-attachments.ts";
import { contextForPrompt } from "../../brain/index.ts";
import { eventKey } from "../../events/event-types.ts";
import { adapterFor } from "../../sessions/session-adapters.ts";
import { currentSession, moveSession } from "../../sessions/session-repository.ts";
import { changeAt, type DriverContext, driverCall } from "../context.ts";
import { owedArtifact, promptFor } from "../expected-artifact.ts";
import { sessionOf } from "../next-step.ts";
import type { PhaseRow, SessionRow } from "../rows.ts";
import type { Snapshot } from "../snapshot.ts";
import { failPhase, readGitState } from "./phase-steps.ts";

export async function sendPrompt(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  instance: string,
): Promise<void> {
  const session = sessionOf(snapshot, instance);
  if (!session)
    throw new DevflowError("internal_state_corruption", { details: { problem: `role ${instance} has no session` } });
  const envelope = await promptFor(context, snapshot, phase, instance);
  await giveAttachments(context, snapshot.run, session, promptAttachments(snapshot, phase));
  if (session.last_prompt_hash !== envelope.dedupKey) await intend(context, snapshot, phase, session, envelope);
  const known = phase.repair ? "" : await contextForPrompt(context, snapshot);
  const told = known === "" ? envelope : { ...envelope, instructions: `${envelope.instructions}${known}` };
  if (!(await deliver(context, snapshot, phase, session, told))) return;
  faultPoint("after_prompt_sent");
  const type = phase.repair ? "prompt.repaired" : "prompt.sent";
  await changeAt(context, snapshot, async (fact) => {
    fact.emit({
      type,
      key: eventKey.prompt(type, envelope.dedupKey),
      phaseId: phase.id,
      payload: {
        phase: phase.phase_key,
        role: instance,
        attempt: phase.attempts,
        dedupKey: envelope.dedupKey,
        uuid: envelope.uuid,
      },
    });
  });
}

async function intend(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  session: SessionRow,
  envelope: PromptEnvelope,
): Promise<void> {
  const owed = owedArtifact(snapshot, phase, session.role_id);
  // Whatever it is still working on answers an earlier question.
  if (session.state !== "READY") await adapterFor(context, session).interrupt(session.handle, driverCall(context));
  const gitState = phase.git_state ?? (await readGitState(context, snapshot));
  // A file there now answers something else. Once the intent is recorded, it may be this prompt's answer.
  await clearPlace(owed.path, phase.attempts - 1);
  faultPoint("after_artifact_set_aside");
  await changeAt(context, snapshot, async (fact) => {
    if (phase.git_state === null)
      await fact.tx`update app.run_phases set git_state = ${gitState} where id = ${phase.id}`;
    await moveSession(fact, session, "prompted", {
      last_prompt_hash: envelope.dedupKey,
      last_prompt_at: fact.now,
      expected_artifact_path: owed.path,
      expected_schema: owed.schema,
    });
  });
}

/** False: the agent did not accept it, and a person is asked. */
async function deliver(
  context: DriverContext,
  snapshot: Snapshot,
  phase: PhaseRow,
  session: SessionRow,
  envelope: PromptEnvelope,
): Promise<boolean> {
  const adapter = adapterFor(context, session);
  let { handle }: { handle: SessionHandle } = session;
  for (let retries = 0; ; retries++) {
    try {
      await adapter.sendPrompt(handle, envelope, driverCall(context));
      return true;
    } catch (error) {
      if (!(error instanceof DevflowError) || error.code !== "prompt_send_transient") throw error;
      if (retries >= recoveryLimits.sendPrompt) break;
      const probed = await adapter.probe(handle, context.stopping);
      if (!probed.alive) handle = await restore(context, snapshot, session, handle);
    }
  }
  const reason = `session ${session.role_id} did not accept the prompt in three attempts`;
  await changeAt(context, snapshot, (fact) => failPhase(fact, phase, "prompt_send_exhausted", reason));
  return false;
}

/** It died before it accepted the prompt: restarted, and that is recorded before it is asked anything. */
async function restore(
  context: DriverContext,
  snapshot: Snapshot,
  session: SessionRow,
  handle: SessionHandle,
): Promise<SessionHandle> {
  const resumed = await adapterFor(context, session).resume(handle, driverCall(context));
  faultPoint("after_session_restored");
  await changeAt(context, snapshot, async (fact) => {
    await moveSession(fact, await currentSession(fact, session.id), "restored", { handle: resumed });
  });
  return resumed;
}
