/**
 * A person's verdict on a gate: recorded once, together with its consequence.
 *
 * Two concurrent deciders are serialized by the run's lock: one wins, and the other's error names the winner. The same
 * token with the same verdict is the same decision; with another verdict it is a conflict.
 *
 * An approval is bound to the work that the gate showed. When the worktree has changed since, it is refused, and the gate
 * shows what was added and asks again.
 *
 * A request for changes takes the drafts of comments on lines along: their text becomes part of its comment, so that whatever
 * happens to the comment happens to them.
 */
import { isTerminalRun, type Verdict } from "@devflow/core/enums";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { shortId } from "@devflow/core/short-id";
import type { Added } from "@devflow/harness";
import { nextSessionState } from "@devflow/session";
import { lockApproval, moveApproval, runOfApproval } from "../approvals/approval-repository.ts";
import { commentsSent } from "../comments/comment-repository.ts";
import { composeRequest, type Places, placesOf } from "../comments/send-comments.ts";
import { Actor } from "../events/actor.ts";
import { nameOf } from "../events/actor-name.ts";
import { machineLost } from "../fleet/lost-hosts.ts";
import { moveRun, otherHost } from "../fleet/move-run.ts";
import { followLaneGate } from "../lanes/follow-lane-gate.ts";
import { type HandMerge, requireHandMerge } from "../lanes/hand-merge.ts";
import { chosenAt, isLaneGate, type LaneChoice } from "../lanes/lane-gates.ts";
import { moveSession } from "../sessions/session-repository.ts";
import { instancesIn, Template } from "../templates/index.ts";
import { change, type EngineContext } from "./context.ts";
import { endRun } from "./end-run.ts";
import type { RunFact } from "./fact.ts";
import { budgetReached, currentPhase, definitionOf } from "./next-step.ts";
import { type ApprovalRow, isOpen, PhaseRow } from "./rows.ts";
import type { Decision, DecisionInput } from "./run-engine.ts";
import { runStateFor } from "./run-machine.ts";
import { describeAdded, isSameWork, ShownWork, shownWork, whatCameOnTop } from "./shown-work.ts";
import { loadSnapshot, type Snapshot } from "./snapshot.ts";
import { followChangedWork, workChanged } from "./steps/check-work.ts";
import { beginAttempt, gitStateChanged, phasesBetween, towards } from "./steps/phase-steps.ts";
import { closeAttempt } from "./steps/settle-phase.ts";

export async function decide(
  context: EngineContext,
  approvalId: string,
  input: DecisionInput,
  actor: Actor,
): Promise<Decision> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const runId = await context.database.asEngine((tx) => runOfApproval(tx, approvalId));
  if (!runId)
    throw new DevflowError("not_found", { details: { what: `Approval ${approvalId}`, next: "devflow run list" } });
  refuseComments(input);
  const work = input.verdict === "approve" ? await workNow(context, runId, approvalId) : undefined;
  const byHand = input.choice === "by_hand" ? await handMerge(context, runId, approvalId) : undefined;
  const places = input.comments?.length ? await placesOf(context, runId) : noPlaces;
  const decision = await change(
    context,
    runId,
    (fact) => decideIn(fact, approvalId, input, { work, places, byHand }),
    actor,
  );
  if (decision) return decision;
  throw new DevflowError("gate_moved", { details: { added: describeAdded(work?.added), run: shortId(runId) } });
}

const noPlaces: Places = new Map();

function refuseComments({ verdict, comments = [] }: DecisionInput): void {
  if (verdict === "request_changes" || comments.length === 0) return;
  const problem = `Comments on lines go with a request for changes, and not with ${verdict}.`;
  throw new DevflowError("input_invalid", { details: { problem, next: "Leave them out, or request changes." } });
}

/** The work at the gate as it is now, read before the run is locked. */
interface WorkNow {
  readonly epoch: number;
  readonly now: ShownWork;
  /** Undefined if it is what the gate shows. */
  readonly added: Added | undefined;
  /** The worktree is on another machine, which compares it before the run goes on; see `checkWork`. */
  readonly isUnseen: boolean;
}

async function workNow(context: EngineContext, runId: string, approvalId: string): Promise<WorkNow | undefined> {
  const snapshot = await context.database.asEngine((tx) => loadSnapshot(tx, runId));
  const approval = snapshot?.approvals.find((one) => one.id === approvalId);
  const shown = ShownWork.safeParse(approval?.payload.shown).data;
  if (!snapshot || !approval || !shown || !isOpen(approval.state)) return undefined;
  const { epoch } = approval;
  if (snapshot.run.host !== context.host) return { epoch, now: shown, added: undefined, isUnseen: true };
  const now = await shownWork(context, snapshot.run);
  const added = isSameWork(shown, now) ? undefined : await whatCameOnTop(context, snapshot.run, shown, now);
  return { epoch, now, added, isUnseen: false };
}

async function handMerge(context: EngineContext, runId: string, approvalId: string): Promise<HandMerge | undefined> {
  const snapshot = await context.database.asEngine((tx) => loadSnapshot(tx, runId));
  const approval = snapshot?.approvals.find((one) => one.id === approvalId);
  if (approval?.gate_key !== "merge_conflict" || !isOpen(approval.state)) return undefined;
  return await requireHandMerge(context, runId, approval);
}

/** What was read before the run was locked. */
interface ReadBefore {
  readonly work: WorkNow | undefined;
  readonly places: Places;
  readonly byHand: HandMerge | undefined;
}

/** Undefined: the work has changed, and the gate asks again. */
async function decideIn(
  fact: RunFact,
  approvalId: string,
  input: DecisionInput,
  { work, places, byHand }: ReadBefore,
): Promise<Decision | undefined> {
  const { tx, run, actor, now } = fact;
  const key = `${approvalId}:${input.clientToken}`;
  const before = await decisionUnder(fact, key);
  if (before) {
    if (before.verdict === input.verdict) return { ...before, created: false };
    throw await decided(fact, before);
  }
  const approval = await lockApproval(fact, approvalId);
  if (!isOpen(approval.state)) throw await decided(fact, await lastDecision(fact, approvalId));
  if (isTerminalRun(run.state)) {
    throw new DevflowError("illegal_transition", {
      details: { what: `Run ${run.id}`, state: run.state, wanted: "decided", next: "" },
    });
  }
  const isAsked = approval.state === "pending" && (approval.kind === "recovery" || run.state !== "paused");
  if (!isAsked && input.verdict !== "abort") throw new DevflowError("run_paused", { details: { run: run.id } });
  await refuseStarter(fact);
  // Someone else was told first, or the person saw an earlier question.
  const seen = input.epoch ?? work?.epoch ?? approval.epoch;
  if (seen !== approval.epoch || isRefused(approval, input.clientToken)) return undefined;
  if (work?.added) {
    const refused = [...refusedTokens(approval), input.clientToken];
    await moveApproval(fact, approval, "work_changed", { payload: { shown: work.now, added: work.added, refused } });
    return undefined;
  }

  const choice = chosenAt(approval, input.choice);
  const { drafts, text } = await composeRequest(fact, input.comment ?? "", input.comments ?? [], places);
  const comment = drafts.length > 0 ? text : (input.comment ?? null);
  const decision: Decision = {
    id: uuidv7(),
    approvalId,
    runId: run.id,
    verdict: input.verdict,
    comment,
    actor,
    decidedAt: now.toISOString(),
    created: true,
  };
  await tx`
    insert into app.approval_decisions (id, approval_request_id, team_id, action, comment, actor, decided_at, idempotency_key)
    values (${decision.id}, ${approvalId}, ${run.team_id}, ${input.verdict}, ${decision.comment}, ${tx.json(actor)}, ${now}, ${key})`;
  const chosen = input.verdict === "approve" ? choice : undefined;
  const kept = { ...(work?.isUnseen ? { unseen: true } : {}), ...(chosen === undefined ? {} : { choice: chosen }) };
  const payload = Object.keys(kept).length > 0 ? { payload: kept } : {};
  await moveApproval(fact, approval, input.verdict, { comment: decision.comment, choice: chosen, ...payload });
  const given = { ...input, comment: comment ?? undefined };
  const answering = await follow(fact, approval, given, { shown: work?.now, choice, byHand });
  // The next attempt of that phase: `follow` left the row that it had before.
  await commentsSent(
    fact,
    drafts,
    { decisionId: decision.id },
    answering && { phase: answering, attempt: answering.attempts + 1 },
  );
  return decision;
}

/** A retried command has the same token, and its person has not seen what was added. */
const isRefused = (approval: ApprovalRow, token: string): boolean => refusedTokens(approval).includes(token);

const refusedTokens = ({ payload }: ApprovalRow): readonly string[] =>
  Array.isArray(payload.refused) ? payload.refused.map(String) : [];

interface Followed {
  readonly shown: ShownWork | undefined;
  readonly choice: LaneChoice | undefined;
  readonly byHand: HandMerge | undefined;
}

/** The phase that does the work again, as it was before. */
async function follow(
  fact: RunFact,
  approval: ApprovalRow,
  { verdict, comment }: DecisionInput,
  { shown, choice, byHand }: Followed,
): Promise<PhaseRow | undefined> {
  const reason = comment ? `${verdict}: ${comment}` : `${verdict} at ${approval.gate_key}`;
  if (verdict === "abort" || verdict === "reject") {
    if (verdict === "abort") await endRun(fact, "aborted", reason);
    else await endRun(fact, "failed", reason, "rejected");
    return undefined;
  }
  const [row] = await fact.tx`select to_jsonb(p) as phase from app.run_phases p where p.id = ${approval.phase_id}`;
  const phase = PhaseRow.parse(row?.phase);
  if (choice !== undefined && isLaneGate(approval, phase))
    return await followLaneGate(fact, approval, phase, {
      ...{ choice, comment, byHand },
      wantsChanges: verdict === "request_changes",
    });
  if (approval.gate_key === `recovery:${workChanged}`) {
    const wantsChanges = verdict === "request_changes";
    const cause = causeOf(approval);
    const isDone = phase.state === "completed";
    const target = wantsChanges && isDone ? await sendBack(fact, phase, comment ?? "", { cause }) : undefined;
    return target ?? (await followChangedWork(fact, phase, { comment, wantsChanges, cause }));
  }
  if (approval.kind === "recovery") return await recover(fact, approval, phase, comment);
  if (verdict === "request_changes") {
    const target = await sendBack(fact, phase, comment ?? "", {});
    if (target) return target;
    // A person's verdict begins a new series of attempts, in the phase's own kind.
    await beginAttempt(fact, phase, {
      trigger: "changes_requested",
      automatic: 1,
      repair: false,
      comment: comment ?? null,
      gitState: null,
      reason: "changes_requested",
    });
    return phase;
  }
  await passGate(fact, approval, phase, shown);
  return undefined;
}

/** Opens the next gate of the phase, or completes the phase so that the run continues with the next one. */
async function passGate(
  fact: RunFact,
  approval: ApprovalRow,
  phase: PhaseRow,
  shown: ShownWork | undefined,
): Promise<void> {
  await closeAttempt(fact, phase, shown);
  const after = await loadSnapshot(fact.tx, fact.run.id);
  const stillAsked = after?.phases.find((one) => one.id === phase.id)?.state === "awaiting_approval";
  if (!after || stillAsked || fact.run.state !== "awaiting_approval") return;
  const next = currentPhase(after) ?? phase;
  const trigger = runStateFor(next.kind) === "planning" ? "gate_passed_to_planning" : "gate_passed_to_work";
  fact.moveRun(trigger, {}, { cause: causeOf(approval) });
}

const causeOf = ({ id, epoch }: ApprovalRow): string => `approval:${id}:${epoch}`;

/** At a recovery gate, approving means: try again, with a new budget. */
async function recover(
  fact: RunFact,
  approval: ApprovalRow,
  phase: PhaseRow,
  comment: string | undefined,
): Promise<PhaseRow> {
  const cause = causeOf(approval);
  // Trying again accepts what changed in .git: the next attempt reads it anew.
  if (approval.gate_key === `recovery:${gitStateChanged}`)
    await fact.tx`update app.run_phases set git_state = null where run_id = ${fact.run.id}`;
  if (approval.gate_key === `recovery:${machineLost}`)
    await moveRun(fact, await otherHost(fact), "its machine is lost");
  // Nothing of it has begun, so there is nothing to repeat.
  if (fact.run.state === "created") return phase;
  if (approval.gate_key === `recovery:${budgetReached}`) fact.writeRun({ budget_grants: fact.run.budget_grants + 1 });
  if (phase.kind === "lanes" && phase.state === "running") {
    // Its lanes go on where they are.
    fact.moveRun(towards("paused", "executing"), { queued: false }, { cause });
    return phase;
  }
  if (phase.state === "pending") {
    // The loop's budget was used up before the phase began; it gets a new one.
    await fact.tx`update app.run_phases set loops = 0, comment = ${comment ?? phase.comment} where id = ${phase.id}`;
    fact.moveRun(towards("paused", runStateFor(phase.kind)), {}, { cause });
    return phase;
  }
  await fact.tx`update app.run_phases set loops = 0 where id = ${phase.id}`;
  const target = comment === undefined ? undefined : await sendBack(fact, phase, comment, { cause });
  if (target) return target;
  await restartAgents(fact, phase);
  await beginAttempt(fact, phase, {
    trigger: "retry",
    automatic: 1,
    repair: false,
    comment: comment ?? null,
    gitState: null,
    reason: "recovery",
    cause,
  });
  return phase;
}

/** The person may have logged an agent in, or changed what it is started with: a process that lives would not notice. */
async function restartAgents(fact: RunFact, phase: PhaseRow): Promise<void> {
  const snapshot = await loadSnapshot(fact.tx, fact.run.id);
  if (!snapshot) return;
  const instances = instancesIn(snapshot.template, definitionOf(snapshot, phase));
  for (const session of snapshot.sessions.filter((one) => instances.includes(one.role_id)))
    if (nextSessionState(session.state, "restarted")) await moveSession(fact, session, "restarted");
}

/** A command or a report cannot follow a person's comment; the work before it can. Undefined: this phase can, or none before it. */
async function sendBack(
  fact: RunFact,
  phase: PhaseRow,
  comment: string,
  about: { readonly cause?: string },
): Promise<PhaseRow | undefined> {
  if (phase.kind !== "command" && phase.kind !== "report") return undefined;
  const snapshot = await loadSnapshot(fact.tx, fact.run.id);
  const target = snapshot && workBefore(snapshot, phase);
  if (!target) return undefined;
  for (const one of phasesBetween(snapshot, target, phase)) {
    await fact.movePhase(one, "again", {
      reason: null,
      ended_at: null,
      active_since: null,
      // A person's verdict gives every loop a new budget.
      loops: 0,
      comment: one.id === target.id ? comment : null,
    });
  }
  fact.moveRun(towards(fact.run.state, runStateFor(target.kind)), {}, about);
  return target;
}

/** Where the phase's loop leads, or else the nearest work before it that no condition can skip. */
function workBefore(snapshot: Snapshot, phase: PhaseRow): PhaseRow | undefined {
  const { loop } = definitionOf(snapshot, phase);
  if (loop) return snapshot.phases.find((one) => one.phase_key === loop.to);
  return snapshot.phases.findLast(
    (one) => one.seq < phase.seq && one.kind === "work" && definitionOf(snapshot, one).when === undefined,
  );
}

async function refuseStarter({ tx, run, actor }: RunFact): Promise<void> {
  const [row] =
    await tx`select t.definition from app.runs r join app.workflow_templates t on t.id = r.template_id where r.id = ${run.id}`;
  const template = Template.parse(row?.definition);
  if (template.deciderMayNotBeStarter && actor.userId === run.started_by)
    throw new DevflowError("starter_may_not_decide");
}

async function decisionUnder({ tx, run }: RunFact, key: string): Promise<Decision | undefined> {
  const [row] = await tx`
    select id, approval_request_id, action, comment, actor, decided_at from app.approval_decisions where idempotency_key = ${key}`;
  return row ? toDecision(row, run.id) : undefined;
}

async function lastDecision({ tx, run }: RunFact, approvalId: string): Promise<Decision | undefined> {
  const [row] = await tx`
    select id, approval_request_id, action, comment, actor, decided_at from app.approval_decisions
    where approval_request_id = ${approvalId}`;
  return row ? toDecision(row, run.id) : undefined;
}

function toDecision(row: Record<string, unknown>, runId: string): Decision {
  return {
    id: String(row.id),
    approvalId: String(row.approval_request_id),
    runId,
    verdict: row.action as Verdict,
    comment: row.comment as string | null,
    actor: Actor.parse(row.actor),
    decidedAt: (row.decided_at as Date).toISOString(),
    created: false,
  };
}

async function decided({ tx }: RunFact, by: Decision | undefined): Promise<DevflowError> {
  const decision = by ? by.verdict.replace("_", " ") : "closed with its run";
  const who = by ? await nameOf(tx, by.actor) : "the engine";
  return new DevflowError("approval_decided", { details: { decision, who, run: by?.runId ?? "" } });
}
