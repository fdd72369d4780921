/** Words for the states, gates, durations and costs of runs. A state is always a word; its tone only adds the colour. */
import {
  type ApprovalView,
  type AuditFindingView,
  type FindingView,
  type PermissionView,
  type PhaseView,
  type RunDetail,
  type RunSummary,
  type SessionView,
  shortId,
  type TaskView,
} from "@devflow/protocol";
import type { Verdict } from "./run-api.ts";

export type Tone = "good" | "warn" | "bad" | "busy" | "calm";
export interface Word {
  readonly word: string;
  readonly tone: Tone;
}

const runWords: Record<RunSummary["state"], Word> = {
  created: { word: "Created", tone: "calm" },
  bound: { word: "Starting", tone: "busy" },
  planning: { word: "Planning", tone: "busy" },
  executing: { word: "Executing", tone: "busy" },
  awaiting_approval: { word: "Needs approval", tone: "warn" },
  paused: { word: "Paused", tone: "warn" },
  completed: { word: "Completed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  aborted: { word: "Aborted", tone: "calm" },
};
type Stateful = Pick<RunSummary, "state" | "queued" | "pendingRecoveries" | "pendingPermissions">;

export function runWord(run: Stateful): Word {
  if (run.pendingPermissions > 0) return sessionWords.WAITING_FOR_APPROVAL;
  if (run.state === "paused" && run.pendingRecoveries > 0) return { word: "Stopped", tone: "bad" };
  return run.queued ? { word: "Queued", tone: "calm" } : runWords[run.state];
}
export const runStates = Object.keys(runWords) as RunSummary["state"][];
export const runStateName = (state: RunSummary["state"]): string => runWords[state].word;

const phaseWords: Record<PhaseView["state"], Word> = {
  pending: { word: "Pending", tone: "calm" },
  running: { word: "Running", tone: "busy" },
  awaiting_artifact: { word: "Agent working", tone: "busy" },
  validating: { word: "Checking", tone: "busy" },
  awaiting_approval: { word: "Needs approval", tone: "warn" },
  completed: { word: "Completed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  skipped: { word: "Skipped", tone: "calm" },
};
export const phaseWord = (state: PhaseView["state"]): Word => phaseWords[state];

const taskWords: Record<TaskView["state"], Word> = {
  waiting: { word: "Waiting", tone: "calm" },
  working: { word: "Working", tone: "busy" },
  finished: { word: "To be merged", tone: "busy" },
  merging: { word: "Merging", tone: "busy" },
  merged: { word: "Testing", tone: "busy" },
  done: { word: "Merged", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  dropped: { word: "Left out", tone: "calm" },
};

/** What a task of a run with lanes does; of one that works, what its lane does. */
export function taskWord({ state, lane, mergeCommit }: Pick<TaskView, "state" | "lane" | "mergeCommit">): Word {
  if (state === "done" && mergeCommit === null) return { word: "Nothing to change", tone: "good" };
  if (state !== "working" || !lane) return taskWords[state];
  // Its parent ended, and will not merge it.
  if (lane.state === "aborted" || lane.state === "failed") return runWords[lane.state];
  if (lane.questions > 0) return { word: "Needs an answer", tone: "warn" };
  if (lane.state === "paused") return runWords.paused;
  return lane.queued ? { word: "Queued", tone: "calm" } : taskWords.working;
}

const sessionWords: Record<SessionView["state"], Word> = {
  BOOTSTRAPPING: { word: "Starting", tone: "busy" },
  READY: { word: "Ready", tone: "good" },
  BUSY: { word: "Busy", tone: "busy" },
  WAITING_FOR_APPROVAL: { word: "Needs permission", tone: "warn" },
  ARTIFACT_TIMEOUT: { word: "Overdue", tone: "warn" },
  HUNG: { word: "Hung", tone: "bad" },
  CRASHED: { word: "Crashed", tone: "bad" },
  RESUMING: { word: "Resuming", tone: "busy" },
  REBOOTSTRAPPED: { word: "Restarted", tone: "busy" },
  FAILED_NEEDS_HUMAN: { word: "Needs attention", tone: "bad" },
  DISPOSED: { word: "Ended", tone: "calm" },
};
export const sessionWord = (state: SessionView["state"]): Word => sessionWords[state];

const severityTones = { info: "calm", low: "calm", medium: "warn", high: "bad", critical: "bad" } as const;
export const severityWord = (severity: FindingView["severity"]): Word => ({
  word: capital(severity),
  tone: severityTones[severity],
});
/** Where it was seen, and what became of it. */
export function auditOutcome({ source, outcome }: Pick<AuditFindingView, "source" | "outcome">): string {
  if (source === "git") return "changed in the shared .git";
  return source === "permission" ? `asked for, ${outcome}` : "in the transcript";
}
export function findingWord(finding: Pick<FindingView, "resolved" | "waiver" | "verifierStatus">): Word {
  if (finding.resolved) return { word: "Fixed", tone: "good" };
  if (finding.waiver) return { word: "Waived", tone: "calm" };
  const tones = { confirmed: "bad", rejected: "calm", unverified: "warn" } as const;
  return { word: capital(finding.verifierStatus), tone: tones[finding.verifierStatus] };
}

type VerdictWords = Record<Verdict, { readonly act: string; readonly done: string }>;

const gateWords: VerdictWords = {
  approve: { act: "Approve", done: "Approved" },
  request_changes: { act: "Request changes", done: "Changes requested" },
  reject: { act: "Reject", done: "Rejected" },
  abort: { act: "Abort run", done: "Run aborted" },
};

/** Verdicts on a gate that opened because something went wrong. */
const recoveryWords: VerdictWords = {
  approve: { act: "Try again", done: "Retried" },
  request_changes: { act: "Try again with a comment", done: "Retried with a comment" },
  reject: { act: "Give up", done: "Given up" },
  abort: gateWords.abort,
};

/** The last open finding was waived, so there is nothing to try again. */
const waivedWords: VerdictWords = { ...recoveryWords, approve: { act: "Continue", done: "Continued" } };

export function wordsOf({ kind, gate }: Pick<ApprovalView, "kind" | "gate">, run?: Pick<RunDetail, "findings">) {
  if (kind !== "recovery") return gateWords;
  return gate === fixingStopped && run && !run.findings.some(isOpenFinding) ? waivedWords : recoveryWords;
}

/** The gate that opens when the rounds of fixing are used up. */
export const fixingStopped = "recovery:review_dispute_unresolved";

/** Neither fixed, nor waived, nor rejected by the verifier. */
export const isOpenFinding = ({ resolved, waiver, verifierStatus }: FindingView): boolean =>
  !resolved && waiver === null && verifierStatus !== "rejected";

const gateQuestions: Record<string, string> = {
  plan_approved: "Is this the right plan?",
  ship_approved: "Ship this change?",
  parallel_dag_approved: "Run these tasks in parallel?",
  lane_failed: "A lane did not complete. What should become of its task?",
  writeset_conflict: "May the lane have changed these files?",
  merge_conflict: "A lane conflicts with what is merged. How should it be resolved?",
  merge_tests_failed: "The tests fail since this merge. How should the run go on?",
  tests_pass: "Did enough tests pass to continue?",
  consensus: "Do the reviewers agree enough to continue?",
  objective: "Is the objective met well enough to continue?",
};
/** The question of a gate. */
export function gateQuestion(approval: Pick<ApprovalView, "gate" | "kind" | "phase">, phaseTitle?: string): string {
  const known = Object.hasOwn(gateQuestions, approval.gate) ? gateQuestions[approval.gate] : undefined;
  if (known) return known;
  const where = phaseTitle ?? approval.phase ?? "this run";
  if (approval.gate === fixingStopped) return "Findings are left after fixing. Try again, or waive them?";
  if (approval.kind === "recovery") return `${where} could not finish. Try again?`;
  if (approval.kind === "cleanup") return "Remove the worktree even though it is not clean?";
  return `${plainWords(approval.gate)}: continue?`;
}

export const permissionQuestion = ({ role, tool }: Pick<PermissionView, "role" | "tool">): string =>
  `Allow ${role} to use ${tool}?`;

export const plainWords = (key: string): string => capital(key.replace(/[_-]+/g, " "));
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A reason from the engine as a sentence of its own. */
export const sentence = (reason: string): string => (/[.!?:]$/.test(reason) ? capital(reason) : `${capital(reason)}.`);

/** `48 s`, `3 min 07 s`, `2 h 05 min`: at most two units, so that columns stay narrow. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${two(minutes % 60)} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function elapsedMs(
  run: { readonly createdAt?: string; readonly startedAt: string | null; readonly endedAt: string | null },
  now: number,
): number {
  const begin = run.startedAt ?? run.createdAt;
  if (begin === undefined) return 0;
  return (run.endedAt === null ? now : Date.parse(run.endedAt)) - Date.parse(begin);
}

export function money(usd: number | null): string {
  return usd === null ? "unknown" : `$${usd.toFixed(2)}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(2)}M`;
}

export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/**
 * Merges the branch of a run that is completed into the branch that is checked out in its repository; of a run on another machine,
 * pushes it.
 */
export function resultCommand({
  id,
  repository,
  branch,
  remote,
}: Pick<RunSummary, "id" | "repository" | "branch" | "remote">): string {
  if (remote !== null) return `devflow run pr ${shortId(id)}`;
  const folder = /^[\w@%+=:,./-]+$/.test(repository) ? repository : `'${repository.replaceAll("'", `'\\''`)}'`;
  return `git -C ${folder} merge ${branch}`;
}
