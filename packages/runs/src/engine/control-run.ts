/** Pause, resume and abort, from any state. They only record the request. */
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import {
  hasOpenRecovery,
  moveApproval,
  pausedApprovals,
  restartApprovalClocks,
  stopApprovalClocks,
} from "../approvals/approval-repository.ts";
import type { Actor } from "../events/actor.ts";
import { eventKey } from "../events/event-types.ts";
import { change, type EngineContext } from "./context.ts";
import { endRun, refuseTerminal } from "./end-run.ts";
import type { RunFact } from "./fact.ts";
import { definitionOf } from "./next-step.ts";
import type { ApprovalRow, RunRow } from "./rows.ts";
import type { RunTrigger } from "./run-machine.ts";
import { loadSnapshot, type Snapshot } from "./snapshot.ts";

/** Soft: no new prompts and no progress; an agent may finish what it is writing. Hard: the driver interrupts it. */
export async function pauseRun(
  context: EngineContext,
  runId: string,
  { clientToken, hard = false }: { readonly clientToken: string; readonly hard?: boolean },
  actor: Actor,
): Promise<void> {
  await oncePerToken(context, runId, { type: "run.paused", clientToken }, actor, (fact, cause) =>
    pauseIn(fact, cause, hard),
  );
}

export async function pauseIn(fact: RunFact, cause: string, hard: boolean): Promise<void> {
  await stopTimers(fact);
  fact.moveRun("paused", { interrupt_requested: hard }, { cause, ...(hard ? { payload: { hard } } : {}) });
}

const resumption: Readonly<Record<NonNullable<RunRow["paused_from_state"]>, RunTrigger>> = {
  bound: "resumed_to_bound",
  planning: "resumed_to_planning",
  executing: "resumed_to_executing",
  awaiting_approval: "resumed_to_awaiting_approval",
};

export async function resumeRun(
  context: EngineContext,
  runId: string,
  clientToken: string,
  actor: Actor,
): Promise<void> {
  await oncePerToken(context, runId, { type: "run.resumed", clientToken }, actor, async (fact, cause) => {
    const from = fact.run.paused_from_state;
    if (fact.run.state !== "paused" || from === null) {
      throw new DevflowError("illegal_transition", {
        details: { what: `Run ${runId}`, state: fact.run.state, wanted: "resumed", next: "It is not paused." },
      });
    }
    await refuseOpenRecovery(fact);
    refuseKinPause(fact);
    await resumeIn(fact, cause);
  });
}

/** For a run that is paused. */
export async function resumeIn(fact: RunFact, cause: string): Promise<void> {
  const from = fact.run.paused_from_state;
  if (from === null) return;
  if (from === "awaiting_approval") await askAgain(fact);
  await fact.tx`
    update app.run_phases set active_since = ${fact.now}
    where run_id = ${fact.run.id} and state in ('running', 'awaiting_artifact', 'validating')`;
  fact.moveRun(resumption[from], {}, { cause });
}

/** A lane that paused with its parent goes on with it. */
function refuseKinPause({ run }: RunFact): void {
  if (run.parent_run_id === null || !/^(parent|budget):/.test(run.pause_cause ?? "")) return;
  const parent = shortId(run.parent_run_id);
  throw new DevflowError("illegal_transition", {
    details: {
      what: `Lane ${run.lane_id}`,
      state: `paused with its parent ${parent}`,
      wanted: "resumed",
      next: `Resume the parent: devflow run resume ${parent}`,
    },
  });
}

/** Repeating it with the same token, even much later, changes nothing. */
async function oncePerToken(
  context: EngineContext,
  runId: string,
  { type, clientToken }: { readonly type: "run.paused" | "run.resumed"; readonly clientToken: string },
  actor: Actor,
  work: (fact: RunFact, cause: string) => Promise<void>,
): Promise<void> {
  refuseAgent(actor);
  const cause = `command:${clientToken}`;
  const key = eventKey.pause(type, runId, cause);
  await change(
    context,
    runId,
    async (fact) => {
      refuseTerminal(fact, type === "run.paused" ? "paused" : "resumed");
      const known = await fact.tx`
        select from app.run_events where run_id = ${runId} and idempotency_key = ${key}`;
      if (known.length === 0) await work(fact, cause);
    },
    actor,
  );
}

/** A gate that timed out is asked again, in a new epoch and with its full time; a pending one gets the rest of its time. */
async function askAgain(fact: RunFact): Promise<void> {
  await restartApprovalClocks(fact);
  const snapshot = await loadSnapshot(fact.tx, fact.run.id);
  for (const approval of await pausedApprovals(fact))
    await moveApproval(fact, approval, "unpause", { timeoutAt: timeoutOf(fact, snapshot, approval) });
}

function timeoutOf(fact: RunFact, snapshot: Snapshot | undefined, { phase_id: phaseId }: ApprovalRow): Date | null {
  const phase = snapshot?.phases.find((one) => one.id === phaseId);
  const timeoutMs = snapshot && phase ? definitionOf(snapshot, phase).approvalTimeoutMs : undefined;
  return timeoutMs === undefined ? null : new Date(fact.now.getTime() + timeoutMs);
}

export async function abortRun(context: EngineContext, runId: string, reason: string, actor: Actor): Promise<void> {
  refuseAgent(actor);
  await change(
    context,
    runId,
    async (fact) => {
      if (fact.run.state === "aborted") return;
      refuseTerminal(fact, "aborted");
      await endRun(fact, "aborted", reason);
    },
    actor,
  );
}

async function refuseOpenRecovery(fact: RunFact): Promise<void> {
  if (!(await hasOpenRecovery(fact))) return;
  const { run } = fact;
  throw new DevflowError("illegal_transition", {
    details: {
      what: `Run ${run.id}`,
      state: "paused at a recovery gate",
      wanted: "resumed",
      next: `Decide it: devflow run approve ${run.id} (try again), or devflow run reject ${run.id}`,
    },
  });
}

async function stopTimers(fact: RunFact): Promise<void> {
  const { tx, run, now } = fact;
  await tx`
    update app.run_phases set active_ms = active_ms + extract(epoch from (${now}::timestamptz - active_since)) * 1000, active_since = null
    where run_id = ${run.id} and active_since is not null`;
  await stopApprovalClocks(fact);
}

function refuseAgent(actor: Actor): void {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
}
