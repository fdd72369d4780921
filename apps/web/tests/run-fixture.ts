/** For tests of the model: a run as the contracts describe it, parsed by them, so that a fixture cannot drift from the server. */
import { RunDetail, RunEventView } from "@devflow/protocol";

export const runId = "01890000-0000-7000-8000-000000000001";
const id = (number: number): string => `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`;
export const approvalId = id(50);
const at = "2026-01-01T10:00:00.000Z";
const actor = { userId: id(2), kind: "human", via: "web" } as const;

const phase = (seq: number, key: string, kind: string, state = "pending") => ({
  id: id(10 + seq),
  key,
  title: key.toUpperCase(),
  kind,
  seq,
  state,
  risk: "low",
  attempts: state === "pending" ? 0 : 1,
  repair: false,
  loops: 0,
  reason: null,
  comment: null,
  startedAt: state === "pending" ? null : at,
  endedAt: null,
});

export function runDetail(change: Record<string, unknown> = {}): RunDetail {
  return RunDetail.parse({
    id: runId,
    teamId: id(3),
    title: "Greet in German",
    template: "development-fake@1",
    state: "planning",
    queued: false,
    repository: "/home/ada/shop",
    remote: null,
    baseBranch: "main",
    branch: "devflow/x/main",
    startedBy: { id: id(2), name: "Ada" },
    host: "here",
    machine: "here",
    parent: null,
    phase: { key: "plan", title: "PLAN", seq: 1, of: 2, attempt: 1 },
    pendingApprovals: 0,
    pendingRecoveries: 0,
    pendingPermissions: 0,
    failureReason: null,
    pauseCause: null,
    rateLimitedUntil: null,
    budget: { usd: null, tokens: null },
    cost: { usd: null, inputTokens: 0, outputTokens: 0 },
    eventSeq: 10,
    createdAt: at,
    startedAt: at,
    endedAt: null,
    updatedAt: at,
    requirements: "",
    worktree: "/w",
    baseCommit: "abc",
    bindings: [],
    phases: [phase(1, "plan", "planning", "running"), phase(2, "build", "work")],
    approvals: [],
    sessions: [],
    artifacts: [],
    findings: [],
    audit: [],
    forkOf: null,
    forks: [],
    tasks: [],
    pullRequest: null,
    commands: [],
    permissions: [],
    messages: [],
    attachments: [],
    draftComments: 0,
    hasReport: false,
    stepFailure: null,
    ...change,
  });
}

export function runEvent(seq: number, type: string, payload: Record<string, unknown> = {}): RunEventView {
  return RunEventView.parse({ seq, type, phase: null, payload, actor, at: "2026-01-01T10:05:00.000Z", hash: "h" });
}

export const artifact = (number: number, change: Record<string, unknown>) => ({
  id: id(100 + number),
  phase: "plan",
  role: "architect",
  attempt: 1,
  path: "/a/plan.json",
  name: "plan.json",
  schema: "dev/phase-plan@1",
  hash: "h",
  bytes: 1,
  valid: true,
  errors: [],
  createdAt: at,
  ...change,
});
