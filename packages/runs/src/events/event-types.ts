/**
 * The events of a run, and the key under which each is recorded once.
 *
 * - `runEventTypes` the closed set. `eventKey.*` the formula of each idempotency key.
 */
export const runEventTypes = [
  "run.created",
  "run.queued",
  "run.started",
  "run.paused",
  "run.resumed",
  "run.completed",
  "run.failed",
  "run.aborted",
  /** In both logs: the fork's has the state that it began with. */
  "run.forked",
  "run.purged",
  "run.adopted",
  "run.moved",
  "phase.started",
  "phase.completed",
  "phase.failed",
  "phase.skipped",
  "prompt.sent",
  "prompt.repaired",
  "artifact.expected",
  "artifact.validated",
  "artifact.invalid",
  "artifact.timeout",
  "artifact.missing",
  "message.said",
  "message.received",
  "approval.requested",
  "approval.resolved",
  "approval.timed_out",
  "gate.evaluated",
  "session.created",
  "session.ready",
  "session.busy",
  "session.idle",
  "session.crashed",
  "session.recovered",
  "session.failed",
  "command.started",
  "command.completed",
  "command.failed",
  "commit.created",
  "audit.finding_recorded",
  "report.written",
  "pull_request.opened",
  "review.batch_recorded",
  "finding.verifier_resolved",
  "finding.waived",
  "usage.recorded",
  "budget.reached",
  "permission.requested",
  "permission.resolved",
  "lane.started",
  "lane.completed",
  "merge.completed",
  "merge.conflicted",
  "backtest.iteration_started",
  "backtest.iteration_completed",
  "backtest.objective_evaluated",
] as const;
export type RunEventType = (typeof runEventTypes)[number];

/** Attempts and recovery counts are taken after their increment. */
export const eventKey = {
  run: (
    type: "run.created" | "run.started" | "run.completed" | "run.failed" | "run.aborted" | "run.queued",
    runId: string,
  ) => `${type}:${runId}`,
  /** Cause is `<kind>:<unique id>`, so that a second manual pause is a second event. */
  pause: (type: "run.paused" | "run.resumed", runId: string, cause: string) => `${type}:${runId}:${cause}`,
  phase: (
    type: "phase.started" | "phase.completed" | "phase.failed" | "phase.skipped",
    phaseId: string,
    attempt: number,
  ) => `${type}:${phaseId}:${attempt}`,
  prompt: (type: "prompt.sent" | "prompt.repaired", dedupKey: string) => `${type}:${dedupKey}`,
  artifactWait: (
    type: "artifact.expected" | "artifact.timeout" | "artifact.missing",
    phaseId: string,
    attempt: number,
    path: string,
  ) => `${type}:${phaseId}:${attempt}:${path}`,
  /** The attempt is part of it: identical bytes in a second attempt are a second fact. */
  artifact: (
    type: "artifact.validated" | "artifact.invalid",
    phaseId: string,
    attempt: number,
    path: string,
    hash: string,
  ) => `${type}:${phaseId}:${attempt}:${path}:${hash}`,
  approvalRequested: (approvalKey: string, epoch: number) => `approval.requested:${approvalKey}:${epoch}`,
  approvalTimedOut: (approvalId: string, epoch: number) => `approval.timed_out:${approvalId}:${epoch}`,
  approvalResolved: (approvalId: string, verdict: string) => `approval.resolved:${approvalId}:${verdict}`,
  gate: (phaseId: string, gate: string, attempt: number) => `gate.evaluated:${phaseId}:${gate}:${attempt}`,
  session: (type: "session.created", sessionId: string) => `${type}:${sessionId}`,
  sessionPrompt: (type: "session.busy" | "session.idle", sessionId: string, dedupKey: string) =>
    `${type}:${sessionId}:${dedupKey}`,
  sessionRecovery: (
    type: "session.ready" | "session.crashed" | "session.recovered" | "session.failed",
    sessionId: string,
    recoveries: number,
  ) => `${type}:${sessionId}:${recoveries}`,
  command: (type: "command.started" | "command.completed" | "command.failed", commandId: string) =>
    `${type}:${commandId}`,
  lane: (
    type: "lane.started" | "lane.completed" | "merge.completed" | "merge.conflicted",
    phaseId: string,
    lane: string,
    attempt: number,
  ) => `${type}:${phaseId}:${lane}:${attempt}`,
  fork: (fork: string) => `run.forked:${fork}`,
  audit: (finding: string) => `audit.finding_recorded:${finding}`,
  pullRequest: (runId: string, url: string) => `pull_request.opened:${runId}:${url}`,
  report: (runId: string) => `report.written:${runId}`,
  commit: (phaseId: string, attempt: number) => `commit.created:${phaseId}:${attempt}`,
  reviewBatch: (phaseId: string, reviewer: string, attempt: number) =>
    `review.batch_recorded:${phaseId}:${reviewer}:${attempt}`,
  /** A finding may be judged again after a fix. */
  finding: (findingId: string, phaseId: string, attempt: number) =>
    `finding.verifier_resolved:${findingId}:${phaseId}:${attempt}`,
  waiver: (findingId: string) => `finding.waived:${findingId}`,
  budget: (phaseId: string, attempt: number) => `budget.reached:${phaseId}:${attempt}`,
  fact: (
    type: "usage.recorded" | "permission.requested" | "permission.resolved" | "message.said" | "message.received",
    sessionId: string,
    id: string,
  ) => `${type}:${sessionId}:${id}`,
} as const;
