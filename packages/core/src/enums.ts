/** Closed sets that several packages and the database share. Order matters where noted. */

/**
 * A backend is an agent that Devflow can drive, by name. The set is open: people add agents in their configuration.
 * These are shipped.
 */
export const shippedBackends = ["claude", "codex", "fake"] as const;
export type Backend = string;
export const backendPattern = /^[a-z][a-z0-9-]{0,39}$/;

export const capabilities = [
  "spec_write",
  "phase_planning",
  "task_dag_planning",
  "code_edit",
  "test_first_development",
  "code_review",
  "evidence_check",
  "command_execute",
  "backtest_run",
  "metric_extract",
  "failure_mining",
  "objective_eval",
  "final_report_compose",
] as const;

/** From harmless to dangerous. */
export const riskLevels = ["low", "medium", "high"] as const;
export type RiskLevel = (typeof riskLevels)[number];

export const verdicts = ["approve", "reject", "request_changes", "abort"] as const;
export type Verdict = (typeof verdicts)[number];

export const approvalStates = ["pending", "approved", "rejected", "changes_requested", "aborted", "paused"] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** How a machine of the fleet stands, by its beats and by what people decided. */
export const hostStates = ["present", "draining", "suspect", "lost", "removed"] as const;

/** What drives runs: the server itself, or Temporal with one worker per machine. */
export const engineNames = ["inline", "temporal"] as const;
export type EngineName = (typeof engineNames)[number];

export const runStates = [
  "created",
  "bound",
  "planning",
  "awaiting_approval",
  "executing",
  "paused",
  "completed",
  "failed",
  "aborted",
] as const;
export type RunState = (typeof runStates)[number];
export const terminalRunStates = ["completed", "failed", "aborted"] as const satisfies readonly RunState[];

export const phaseKinds = [
  "planning",
  "work",
  "review",
  "verify",
  "qa",
  "command",
  "report",
  "backtest",
  "lanes",
] as const;
export type PhaseKind = (typeof phaseKinds)[number];

export const phaseStates = [
  "pending",
  "running",
  "awaiting_artifact",
  "validating",
  "awaiting_approval",
  "completed",
  "failed",
  "skipped",
] as const;
export type PhaseState = (typeof phaseStates)[number];

export const sessionStates = [
  "BOOTSTRAPPING",
  "READY",
  "BUSY",
  "WAITING_FOR_APPROVAL",
  "ARTIFACT_TIMEOUT",
  "HUNG",
  "CRASHED",
  "RESUMING",
  "REBOOTSTRAPPED",
  "FAILED_NEEDS_HUMAN",
  "DISPOSED",
] as const;
export type SessionState = (typeof sessionStates)[number];
const terminalSessionStates = ["DISPOSED", "FAILED_NEEDS_HUMAN"] as const satisfies readonly SessionState[];

export const permissionStates = ["pending", "allowed", "denied", "withdrawn"] as const;
export type PermissionState = (typeof permissionStates)[number];

/** From least to most severe. */
export const severities = ["info", "low", "medium", "high", "critical"] as const;
export type Severity = (typeof severities)[number];

export const findingCategories = ["correctness", "evidence", "style", "security", "performance", "other"] as const;
export type FindingCategory = (typeof findingCategories)[number];

export const verifierStatuses = ["unverified", "confirmed", "rejected"] as const;
export type VerifierStatus = (typeof verifierStatuses)[number];

export const commandKinds = ["git", "test", "e2e", "doctor", "backtest", "setup", "other"] as const;
export type CommandKind = (typeof commandKinds)[number];

export const actorKinds = ["human", "ci", "agent"] as const;

export function isTerminalRun(state: RunState): boolean {
  return (terminalRunStates as readonly RunState[]).includes(state);
}

export function isTerminalSession(state: SessionState): boolean {
  return (terminalSessionStates as readonly SessionState[]).includes(state);
}

/** Whether `risk` is within what `most` allows. */
export function withinRisk(risk: RiskLevel, most: RiskLevel): boolean {
  return riskLevels.indexOf(risk) <= riskLevels.indexOf(most);
}

export function atLeastSeverity(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least);
}
