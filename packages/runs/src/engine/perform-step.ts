/** From a step to its deed. */
import { assertNever } from "@devflow/core/assert-never";
import { changeAt, type EngineContext } from "./context.ts";
import type { Step } from "./next-step.ts";
import type { Snapshot } from "./snapshot.ts";
import { awaitArtifacts, expectArtifacts, validateArtifacts } from "./steps/artifact-steps.ts";
import { closeRun } from "./steps/close-run.ts";
import { runCommandPhase, settleCommand } from "./steps/command-steps.ts";
import { lockBindings } from "./steps/lock-bindings.ts";
import { askRecovery, completeRun, loopBack, skipPhase, startPhase } from "./steps/phase-steps.ts";
import { sendPrompt, startSession } from "./steps/session-steps.ts";
import { closeAttempt, settlePhase } from "./steps/settle-phase.ts";

export async function performStep(
  context: EngineContext,
  snapshot: Snapshot,
  step: Step,
  signal: AbortSignal,
): Promise<void> {
  switch (step.kind) {
    case "lock_bindings":
      return await lockBindings(context, snapshot, signal);
    case "start_phase":
      return await startPhase(context, snapshot, step.phase);
    case "skip_phase":
      return await skipPhase(context, snapshot, step.phase, step.reason);
    case "start_session":
      return await startSession(context, snapshot, step.phase, step.instance);
    case "send_prompt":
      return await sendPrompt(context, snapshot, step.phase, step.instance);
    case "expect_artifacts":
      return await expectArtifacts(context, snapshot, step.phase, step.instances);
    case "await_artifacts":
      return await awaitArtifacts(context, snapshot, step.phase, step.instances, signal);
    case "validate_artifacts":
      return await validateArtifacts(context, snapshot, step.phase, step.instances);
    case "settle_phase":
      return await settlePhase(context, snapshot, step.phase, signal);
    case "run_command":
      return await runCommandPhase(context, snapshot, step.phase, signal);
    case "settle_command":
      return await settleCommand(context, snapshot, step.phase, signal);
    case "open_gate":
      return await changeAt(context, snapshot, (fact) => closeAttempt(fact, step.phase));
    case "loop_back":
      return await loopBack(context, snapshot, step.phase, step.to);
    case "ask_recovery":
      return await changeAt(context, snapshot, (fact) => askRecovery(fact, step.phase, step.code, step.reason));
    case "complete_run":
      return await completeRun(context, snapshot);
    case "close_run":
      return await closeRun(context, snapshot);
    case "wait":
      return;
    default:
      assertNever(step);
  }
}
