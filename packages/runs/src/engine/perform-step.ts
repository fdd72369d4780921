/** Performs a step. A step names its phase by id; the snapshot it was decided on has the rows. */
import { assertNever } from "@devflow/core/assert-never";
import { auditNow } from "../audit/audit-agents.ts";
import { abortLane, pauseLane, resumeLane } from "../lanes/control-lane.ts";
import { applyMerge, mergeFinished } from "../lanes/merge-finished.ts";
import { planLanes } from "../lanes/plan-lanes.ts";
import { settleLanes } from "../lanes/settle-lanes.ts";
import { startLane } from "../lanes/start-lane.ts";
import { askAboutFailed, takeLane } from "../lanes/take-lane.ts";
import { testMerge } from "../lanes/test-merge.ts";
import { changeAt, type DriverContext } from "./context.ts";
import { illegalTransition } from "./fact.ts";
import type { PhaseStep, RunStep } from "./next-step.ts";
import type { PhaseRow, TaskRow } from "./rows.ts";
import { shownAtGate } from "./shown-work.ts";
import type { Snapshot } from "./snapshot.ts";
import { awaitArtifacts } from "./steps/await-artifacts.ts";
import { checkWork } from "./steps/check-work.ts";
import { closeRun } from "./steps/close-run.ts";
import { runCommandPhase, settleCommand } from "./steps/command-steps.ts";
import { deliverMessage } from "./steps/deliver-message.ts";
import { endOverBudget } from "./steps/end-over-budget.ts";
import { expectArtifacts } from "./steps/expect-artifacts.ts";
import { interruptSessions } from "./steps/interrupt-sessions.ts";
import { lockBindings } from "./steps/lock-bindings.ts";
import { deliverPermission } from "./steps/permission-steps.ts";
import { askRecovery, completeRun, loopBack, skipPhase, startPhase } from "./steps/phase-steps.ts";
import { setUpAgain } from "./steps/run-setup.ts";
import { sendPrompt } from "./steps/send-prompt.ts";
import { closeAttempt, settlePhase } from "./steps/settle-phase.ts";
import { startSession } from "./steps/start-session.ts";
import { timeOutApproval } from "./steps/time-out-approval.ts";
import { validateArtifacts } from "./steps/validate-artifacts.ts";

export async function performStep(
  context: DriverContext,
  snapshot: Snapshot,
  step: PhaseStep | RunStep,
  signal: AbortSignal,
): Promise<void> {
  switch (step.kind) {
    case "lock_bindings":
      return await lockBindings(context, snapshot, signal);
    case "set_up_again":
      return await setUpAgain(context, snapshot, signal);
    case "interrupt_sessions":
      return await interruptSessions(context, snapshot);
    case "deliver_permission":
      return await deliverPermission(context, snapshot, step.permission);
    case "deliver_message":
      return await deliverMessage(context, snapshot, step.message);
    case "time_out_approval":
      return await timeOutApproval(context, snapshot, step.approval);
    case "check_work":
      return await checkWork(context, snapshot, step.approval);
    case "abort_lane":
      return await abortLane(context, snapshot);
    case "pause_lane":
      return await pauseLane(context, snapshot, step);
    case "resume_lane":
      return await resumeLane(context, snapshot, step.cause);
    case "complete_run":
      return await completeRun(context, snapshot);
    case "close_run":
      return await closeRun(context, snapshot);
    default:
      return await performPhaseStep(context, snapshot, step, phaseOf(snapshot, step), signal);
  }
}

async function performPhaseStep(
  context: DriverContext,
  snapshot: Snapshot,
  step: PhaseStep,
  phase: PhaseRow,
  signal: AbortSignal,
): Promise<void> {
  switch (step.kind) {
    case "start_phase":
      return await startPhase(context, snapshot, phase);
    case "skip_phase":
      return await skipPhase(context, snapshot, phase, step.reason);
    case "start_session":
      return await startSession(context, snapshot, phase, step.instance);
    case "send_prompt":
      return await sendPrompt(context, snapshot, phase, step.instance);
    case "expect_artifacts":
      return await expectArtifacts(context, snapshot, phase, step.instances);
    case "await_artifacts":
      await awaitArtifacts(context, snapshot, phase, step.instances, signal);
      // An attempt may have ended here without an artifact; what was done in it counts too.
      return await auditNow(context, snapshot, phase);
    case "validate_artifacts":
      return await validateArtifacts(context, snapshot, phase, step.instances);
    case "settle_phase":
      return await settlePhase(context, snapshot, phase, signal);
    case "run_command":
      return await runCommandPhase(context, snapshot, phase, signal);
    case "settle_command":
      return await settleCommand(context, snapshot, phase, signal);
    case "plan_lanes":
      return await planLanes(context, snapshot, phase);
    case "settle_lanes":
      return await settleLanes(context, snapshot, phase);
    case "start_lane":
      return await startLane(context, snapshot, phase, taskOf(snapshot, step.task));
    case "take_lane":
      return await takeLane(context, snapshot, phase, taskOf(snapshot, step.task));
    case "ask_about_lane":
      return await askAboutFailed(context, snapshot, phase, taskOf(snapshot, step.task));
    case "merge_lane":
      return await mergeFinished(context, snapshot, phase, taskOf(snapshot, step.task));
    case "apply_merge":
      return await applyMerge(context, snapshot, phase, taskOf(snapshot, step.task));
    case "test_merge":
      return await testMerge(context, snapshot, phase, taskOf(snapshot, step.task), signal);
    case "open_gate": {
      const shown = await shownAtGate(context, snapshot, phase);
      return await changeAt(context, snapshot, (fact) => closeAttempt(fact, phase, shown));
    }
    case "end_over_budget":
      return await endOverBudget(context, snapshot, phase, step.reason);
    case "loop_back":
      return await loopBack(context, snapshot, phase, step.to);
    case "ask_recovery":
      return await changeAt(context, snapshot, (fact) => {
        // An attempt of a phase of lanes goes on after the answer, and may ask again.
        const about = phase.kind === "lanes" ? { subject: String(fact.run.event_seq) } : {};
        return askRecovery(fact, phase, step.code, step.reason, about);
      });
    default:
      assertNever(step);
  }
}

function taskOf({ tasks, run }: Snapshot, id: string): TaskRow {
  const task = tasks.find((one) => one.task_id === id);
  if (task) return task;
  throw illegalTransition(`Task ${id} of run ${run.id}`, "gone", "advanced");
}

/** A step decided on another snapshot may be out of date. */
function phaseOf({ phases }: Snapshot, step: PhaseStep): PhaseRow {
  const phase = phases.find((one) => one.id === step.phase);
  if (phase?.attempts === step.attempt) return phase;
  throw illegalTransition(`Phase ${step.phase}`, `at attempt ${phase?.attempts ?? "none"}`, step.kind);
}
