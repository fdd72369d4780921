/** Texts about runs for the terminal: short ids, states, times, money. */
import { plainLine } from "@devflow/core/plain-text";
import type { AuditFindingView, CommandView, FindingView, PhaseView, RunDetail, RunSummary } from "@devflow/protocol";

export { shortId } from "@devflow/core/short-id";

type Stateful = Pick<RunSummary, "state" | "queued" | "pendingRecoveries" | "pendingPermissions">;

export function stateWord({ state, queued, pendingRecoveries, pendingPermissions }: Stateful): string {
  if (pendingPermissions > 0) return "needs permission";
  if (state === "paused" && pendingRecoveries > 0) return "stopped";
  return queued ? "in line" : state.replaceAll("_", " ");
}

export const phaseWord = (state: PhaseView["state"]): string => state.replaceAll("_", " ");

export function money(usd: number | null): string {
  return usd === null ? "cost unknown" : `$${usd.toFixed(2)}`;
}

export function elapsed(from: string | null, to: string | null, nowMs: number): string {
  if (from === null) return "";
  const seconds = Math.max(0, Math.round(((to === null ? nowMs : Date.parse(to)) - Date.parse(from)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export const openGates = (run: RunDetail) => run.approvals.filter((one) => one.state === "pending");

/** Neither fixed, nor waived, nor rejected by the verifier. */
export const isOpenFinding = ({ resolved, waiver, verifierStatus }: FindingView): boolean =>
  !resolved && waiver === null && verifierStatus !== "rejected";

export const hasEnded = ({ state }: Pick<RunSummary, "state">): boolean =>
  state === "completed" || state === "failed" || state === "aborted";

export function commandOutcome({ exitCode, failure }: Pick<CommandView, "exitCode" | "failure">): string {
  return failure ? plainLine(failure) : exitCode === null ? "running" : `exit ${exitCode}`;
}

/** What an agent did against the rules on destructive commands. */
export function auditLine({ severity, role, source, outcome, detail, rule, reason }: AuditFindingView): string {
  const what = plainLine(detail ?? "(purged)");
  if (source === "git") return `${severity}: ${what} changed in the shared .git`;
  const did = source === "permission" ? `asked for (${outcome})` : "ran";
  return `${severity}: ${plainLine(role ?? "an agent")} ${did} ${what} (${plainLine(rule)}: ${plainLine(reason)})`;
}

/** Whether a person is asked for anything. */
export const isAsked = (run: RunDetail): boolean => openGates(run).length > 0 || run.permissions.length > 0;

/** Its lanes that ask a person something, of which the run itself knows nothing. */
export const askingLanes = ({ tasks }: Pick<RunDetail, "tasks">) =>
  tasks.flatMap(({ id, lane }) => (lane && lane.questions > 0 ? [{ id, runId: lane.runId }] : []));
