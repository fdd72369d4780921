/**
 * Applies an event to the run on the page at once, without asking the server.
 *
 * - `applyEvent(detail, event)` pure; an event that the detail already includes changes nothing.
 * - `currentDetail(detail, events)` the server's response with all later events applied.
 *
 * Only states, gates, permissions, waivers and the current phase are applied. The rest comes with the next response, which includes these
 * events and replaces the result.
 */
import { ApprovalView, type PhaseView, type RunDetail, type RunEventView } from "@devflow/protocol";
import { z } from "zod";

type RunState = RunDetail["state"];

/** The payload fields that this page reads. Others are ignored. */
const Payload = z.object({
  phase: z.string().optional().catch(undefined),
  attempt: z.number().int().optional().catch(undefined),
  reason: z.string().nullish().catch(undefined),
  cause: z.string().optional().catch(undefined),
  runState: z.string().optional().catch(undefined),
  approval: z.string().optional().catch(undefined),
  gate: z.string().optional().catch(undefined),
  kind: z.string().optional().catch(undefined),
  epoch: z.number().int().optional().catch(undefined),
  verdict: z.enum(["approve", "reject", "request_changes", "abort"]).optional().catch(undefined),
  comment: z.string().nullish().catch(undefined),
  permission: z.string().optional().catch(undefined),
  session: z.string().optional().catch(undefined),
  role: z.string().optional().catch(undefined),
  tool: z.string().optional().catch(undefined),
  detail: z.string().nullish().catch(undefined),
  covers: z.string().nullish().catch(undefined),
  finding: z.string().optional().catch(undefined),
  choices: ApprovalView.shape.choices.optional().catch(undefined),
  lane: z.string().optional().catch(undefined),
  shown: ApprovalView.shape.shown.optional().catch(undefined),
  added: ApprovalView.shape.added.optional().catch(undefined),
});
type Payload = z.infer<typeof Payload>;

export function currentDetail(detail: RunDetail, events: readonly RunEventView[]): RunDetail {
  return events.reduce(applyEvent, detail);
}

export function applyEvent(detail: RunDetail, event: RunEventView): RunDetail {
  if (event.seq <= detail.eventSeq) return detail;
  const payload = Payload.parse(event.payload);
  const next = { ...detail, ...changes(detail, event, payload), eventSeq: event.seq, updatedAt: event.at };
  return { ...next, ...countsOf(next) };
}

/** What waits for a person, counted from the lists. */
function countsOf({ approvals, permissions }: RunDetail) {
  const pending = approvals.filter((approval) => approval.state === "pending");
  return {
    pendingApprovals: pending.length,
    pendingRecoveries: pending.filter((approval) => approval.kind === "recovery").length,
    pendingPermissions: permissions.length,
  };
}

function changes(detail: RunDetail, event: RunEventView, payload: Payload): Partial<RunDetail> {
  switch (event.type) {
    case "run.queued":
      return { queued: true };
    case "run.started":
      return { queued: false, startedAt: detail.startedAt ?? event.at };
    case "run.paused":
      return { state: "paused", pauseCause: payload.cause ?? null };
    case "run.resumed":
      return { state: stateOfPhases(detail), pauseCause: null };
    case "run.completed":
      return { state: "completed", endedAt: event.at, permissions: [] };
    case "run.failed":
      return { state: "failed", endedAt: event.at, permissions: [], failureReason: payload.reason ?? null };
    case "run.aborted":
      return { state: "aborted", endedAt: event.at, permissions: [], failureReason: payload.reason ?? null };
    case "report.written":
      return { hasReport: true };
    case "phase.started":
      return phaseStarted(detail, event, payload);
    case "phase.completed":
    case "phase.failed":
    case "phase.skipped": {
      const state = event.type.slice("phase.".length) as PhaseView["state"];
      return withPhase(detail, payload.phase ?? event.phase, (phase) => ({
        ...phase,
        state,
        endedAt: event.at,
        reason: payload.reason ?? null,
      }));
    }
    case "permission.requested":
      return permissionRequested(detail, event, payload);
    case "permission.resolved":
      return { permissions: withoutPermission(detail, payload) };
    case "approval.requested":
      return approvalRequested(detail, event, payload);
    case "finding.waived":
      return findingWaived(detail, event, payload);
    case "approval.resolved":
      return approvalResolved(detail, event, payload);
    default:
      return {};
  }
}

function phaseStarted(detail: RunDetail, event: RunEventView, payload: Payload): Partial<RunDetail> {
  const key = payload.phase ?? event.phase;
  const found = detail.phases.find((phase) => phase.key === key);
  if (!found) return {};
  const attempt = payload.attempt ?? found.attempts + 1;
  return {
    ...withPhase(detail, key, (phase) => ({
      ...phase,
      state: "running",
      attempts: attempt,
      startedAt: phase.startedAt ?? event.at,
      endedAt: null,
      reason: null,
    })),
    // Permissions of the previous attempt are no longer open.
    permissions: [],
    state: payload.runState === "planning" || payload.runState === "executing" ? payload.runState : detail.state,
    phase: { key: found.key, title: found.title, seq: found.seq, of: detail.phases.length, attempt },
  };
}

function permissionRequested(detail: RunDetail, event: RunEventView, payload: Payload): Partial<RunDetail> {
  const { permission: id, session: sessionId, role = "", tool = "" } = payload;
  if (!id || !sessionId) return {};
  const asked = {
    id,
    sessionId,
    role,
    tool,
    detail: payload.detail ?? "",
    covers: payload.covers ?? null,
    askedAt: event.at,
  };
  return { permissions: [...withoutPermission(detail, payload), asked] };
}

const withoutPermission = ({ permissions }: RunDetail, { permission, session }: Payload) =>
  permissions.filter((one) => one.id !== permission || one.sessionId !== session);

function approvalRequested(detail: RunDetail, event: RunEventView, payload: Payload): Partial<RunDetail> {
  if (!payload.approval || !payload.gate) return {};
  const before = detail.approvals.find((approval) => approval.id === payload.approval);
  const asked: ApprovalView = {
    id: payload.approval,
    runId: detail.id,
    runTitle: detail.title,
    phase: payload.phase ?? event.phase ?? before?.phase ?? null,
    gate: payload.gate,
    kind: payload.kind === "recovery" || payload.kind === "cleanup" ? payload.kind : "gate",
    state: "pending",
    // The same epoch as the server's, so that a draft comment is kept when the next response arrives.
    epoch: payload.epoch ?? before?.epoch ?? 1,
    reason: payload.reason ?? before?.reason ?? null,
    detail: payload.detail ?? before?.detail ?? null,
    choices: payload.choices ?? before?.choices ?? [],
    lane: payload.lane ?? before?.lane ?? null,
    parent: detail.parent,
    shown: payload.shown ?? before?.shown ?? null,
    added: payload.added ?? before?.added ?? null,
    // Comes with the next response.
    audit: before?.audit ?? [],
    timeoutAt: before?.timeoutAt ?? null,
    createdAt: before?.createdAt ?? event.at,
    resolvedAt: null,
    decision: null,
  };
  const approvals = before
    ? detail.approvals.map((approval) => (approval.id === asked.id ? asked : approval))
    : [...detail.approvals, asked];
  return {
    ...(asked.kind === "gate"
      ? withPhase(detail, asked.phase, (phase) => ({ ...phase, state: "awaiting_approval" }))
      : {}),
    approvals,
    state: asked.kind === "gate" ? "awaiting_approval" : detail.state,
  };
}

const stateOfVerdict = {
  approve: "approved",
  reject: "rejected",
  request_changes: "changes_requested",
  abort: "aborted",
} as const;

function approvalResolved(detail: RunDetail, event: RunEventView, payload: Payload): Partial<RunDetail> {
  const { verdict } = payload;
  if (!verdict) return {};
  const approvals = detail.approvals.map((approval): ApprovalView => {
    if (approval.id !== payload.approval) return approval;
    const decision = { verdict, comment: payload.comment ?? null, actor: event.actor, decidedAt: event.at };
    return { ...approval, state: stateOfVerdict[verdict], resolvedAt: event.at, decision };
  });
  return { approvals };
}

function findingWaived({ findings }: RunDetail, event: RunEventView, { finding, reason }: Payload): Partial<RunDetail> {
  const waiver = { reason: reason ?? null, by: event.actor, at: event.at };
  return { findings: findings.map((one) => (one.id === finding ? { ...one, waiver } : one)) };
}

/** The state after a pause: waiting at an open gate, or the state of the current phase. */
function stateOfPhases(detail: RunDetail): RunState {
  if (detail.approvals.some((approval) => approval.state === "pending" && approval.kind === "gate")) {
    return "awaiting_approval";
  }
  const current = detail.phases.find((phase) => phase.key === detail.phase?.key);
  if (!current) return "bound";
  return current.kind === "planning" ? "planning" : "executing";
}

function withPhase(
  detail: RunDetail,
  key: string | null | undefined,
  change: (phase: PhaseView) => PhaseView,
): Partial<RunDetail> {
  return { phases: detail.phases.map((phase) => (phase.key === key ? change(phase) : phase)) };
}
