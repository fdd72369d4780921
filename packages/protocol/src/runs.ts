/** Runs over HTTP: `/api/runs…`, `/api/approvals…`, `/api/templates`, `/api/personas`, and the live stream of a run. */
import {
  approvalStates,
  capabilities,
  commandKinds,
  findingCategories,
  phaseKinds,
  phaseStates,
  riskLevels,
  runStates,
  sessionStates,
  severities,
  verdicts,
  verifierStatuses,
} from "@devflow/core/enums";
import { z } from "zod";
import { backendName } from "./backend-name.ts";
import { ActorView, AttachmentView, MessageView, mostAttachments, SentComments } from "./run-talk.ts";

const Time = z.iso.datetime({ offset: true });
const Id = z.uuid();

export const RunSummary = z.object({
  id: Id,
  teamId: Id,
  title: z.string(),
  template: z.string(),
  state: z.enum(runStates),
  queued: z.boolean(),
  /** A folder of its machine; of a run on the fleet, its remote. */
  repository: z.string(),
  /** Where its commits are pushed to; null: its repository is a folder of its machine. */
  remote: z.string().nullable(),
  baseBranch: z.string(),
  branch: z.string(),
  startedBy: z.object({ id: Id, name: z.string() }),
  host: z.string(),
  /** What people call that machine. */
  machine: z.string(),
  /** Of a lane: the run that it belongs to, and which try of its task it is. */
  parent: z.object({ runId: Id, title: z.string(), lane: z.string(), try: z.number().int() }).nullable(),
  /** Key and position of the current phase. */
  phase: z
    .object({
      key: z.string(),
      title: z.string(),
      seq: z.number().int(),
      of: z.number().int(),
      attempt: z.number().int(),
    })
    .nullable(),
  /** Open gates of every kind. */
  pendingApprovals: z.number().int(),
  /** Those of them that opened because something went wrong. */
  pendingRecoveries: z.number().int(),
  /** Agents' open requests for permission. */
  pendingPermissions: z.number().int(),
  /** The model's provider refuses requests until then; null when it does not. */
  rateLimitedUntil: Time.nullable(),
  /** Limits of what its agents may use, with what a person granted besides; null without a limit. */
  budget: z.object({ usd: z.number().nullable(), tokens: z.number().nullable() }),
  failureReason: z.string().nullable(),
  pauseCause: z.string().nullable(),
  cost: z.object({ usd: z.number().nullable(), inputTokens: z.number().int(), outputTokens: z.number().int() }),
  eventSeq: z.number().int(),
  createdAt: Time,
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
  /** The time of the last event. */
  updatedAt: Time,
});
export type RunSummary = z.infer<typeof RunSummary>;

/** A step that failed and is tried again. Null while all is well. */
export const StepFailure = z.object({
  /** The name of the step, such as `send_prompt`. */
  step: z.string(),
  code: z.string(),
  reason: z.string(),
  /** What a person can do about it; may be empty. */
  hint: z.string(),
  /** How often it failed in a row. */
  failures: z.number().int(),
  at: Time,
  nextTryAt: Time,
});
export type StepFailure = z.infer<typeof StepFailure>;

export const PhaseView = z.object({
  id: Id,
  key: z.string(),
  title: z.string(),
  kind: z.enum(phaseKinds),
  seq: z.number().int(),
  state: z.enum(phaseStates),
  risk: z.enum(riskLevels),
  attempts: z.number().int(),
  repair: z.boolean(),
  loops: z.number().int(),
  reason: z.string().nullable(),
  comment: z.string().nullable(),
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
});
export type PhaseView = z.infer<typeof PhaseView>;

/** What an agent did, or asked to do, against the rules on destructive commands. */
export const AuditFindingView = z.object({
  id: Id,
  phase: z.string().nullable(),
  attempt: z.number().int(),
  /** Null for a change of the shared .git: who made it is not known. */
  role: z.string().nullable(),
  source: z.enum(["transcript", "permission", "git"]),
  /** Of a permission: what a person answered. */
  outcome: z.enum(["seen", "allowed", "denied", "unanswered"]),
  severity: z.enum(["low", "medium", "high"]),
  rule: z.string(),
  reason: z.string(),
  /** The command, or what changed in .git; null once the run was purged. */
  detail: z.string().nullable(),
  at: Time,
});
export type AuditFindingView = z.infer<typeof AuditFindingView>;

export const ApprovalView = z.object({
  id: Id,
  runId: Id,
  runTitle: z.string(),
  phase: z.string().nullable(),
  gate: z.string(),
  kind: z.enum(["gate", "recovery", "cleanup"]),
  state: z.enum(approvalStates),
  epoch: z.number().int(),
  /** Why a recovery gate opened, or a gate about lanes. */
  reason: z.string().nullable(),
  /** What it is about, as text of several lines: the hunks of a conflict, files, pairs of tasks. */
  detail: z.string().nullable(),
  /** What approving may mean; the first is the default. Empty when there is nothing to choose. */
  choices: z.array(z.object({ id: z.string(), label: z.string() })),
  /** The lane that it is about. */
  lane: z.string().nullable(),
  /** Of a lane's own gate: the run that the lane belongs to. */
  parent: z.object({ runId: Id, title: z.string(), lane: z.string() }).nullable(),
  /** The work that an approval is bound to; null for gates that show none. */
  shown: z.object({ commit: z.string(), tree: z.string(), diffHash: z.string() }).nullable(),
  /** What was added after the gate had opened, which made it ask again. */
  added: z
    .object({
      commits: z.array(z.object({ commit: z.string(), subject: z.string(), author: z.string() })),
      files: z.array(z.object({ path: z.string(), change: z.string() })),
    })
    .nullable(),
  /** What agents did against the rules since the gate before. */
  audit: z.array(AuditFindingView),
  timeoutAt: Time.nullable(),
  createdAt: Time,
  resolvedAt: Time.nullable(),
  decision: z
    .object({ verdict: z.enum(verdicts), comment: z.string().nullable(), actor: ActorView, decidedAt: Time })
    .nullable(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

export const SessionView = z.object({
  id: Id,
  role: z.string(),
  lane: z.string(),
  backend: backendName,
  persona: z.string(),
  state: z.enum(sessionStates),
  recoveries: z.number().int(),
  /** Size of the transcript so far, in bytes. */
  transcriptSeq: z.number().int(),
  /** Where its screen is, for an agent in tmux on the run's machine. */
  screen: z.object({ socket: z.string(), session: z.string() }).nullable(),
});
export type SessionView = z.infer<typeof SessionView>;

export const ArtifactView = z.object({
  id: Id,
  phase: z.string().nullable(),
  role: z.string().nullable(),
  attempt: z.number().int(),
  path: z.string(),
  name: z.string(),
  schema: z.string(),
  hash: z.string(),
  bytes: z.number().int(),
  valid: z.boolean(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
  createdAt: Time,
});
export type ArtifactView = z.infer<typeof ArtifactView>;

export const Waiver = z.object({ reason: z.string().nullable(), by: ActorView, at: Time });
export type Waiver = z.infer<typeof Waiver>;

export const FindingView = z.object({
  id: Id,
  severity: z.enum(severities),
  category: z.enum(findingCategories),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  summary: z.string(),
  evidence: z.string().nullable(),
  reviewers: z.array(z.string()),
  verifierStatus: z.enum(verifierStatuses),
  verifierReason: z.string().nullable(),
  resolved: z.boolean(),
  /** A person let it stand. */
  waiver: Waiver.nullable(),
});
export type FindingView = z.infer<typeof FindingView>;

export const CommandView = z.object({
  id: Id,
  phase: z.string().nullable(),
  kind: z.enum(commandKinds),
  argv: z.array(z.string()),
  exitCode: z.number().int().nullable(),
  failure: z.string().nullable(),
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
});
export type CommandView = z.infer<typeof CommandView>;

/** The end of a command's output, with known secrets redacted. */
export const CommandLog = z.object({ stdout: z.string(), stderr: z.string(), isCut: z.boolean() });
export type CommandLog = z.infer<typeof CommandLog>;

/** An open permission request of an agent. */
export const PermissionView = z.object({
  id: z.string(),
  sessionId: Id,
  role: z.string(),
  tool: z.string(),
  detail: z.string(),
  /** What allowing it for the run or the repository covers; null when it can be allowed only once. */
  covers: z.string().nullable(),
  askedAt: Time,
});
export type PermissionView = z.infer<typeof PermissionView>;

const taskStates = ["waiting", "working", "finished", "merging", "merged", "done", "failed", "dropped"] as const;

/** A task of a run with lanes, and the run that works on it. */
export const TaskView = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(taskStates),
  dependsOn: z.array(z.string()),
  writeSet: z.array(z.string()),
  tests: z.array(z.string()),
  /** Why it failed, was dropped or is done without a merge. */
  reason: z.string().nullable(),
  tries: z.number().int(),
  /** When its lane completed, among all; null before. */
  order: z.number().int().nullable(),
  mergeCommit: z.string().nullable(),
  lane: z
    .object({
      runId: Id,
      state: z.enum(runStates),
      queued: z.boolean(),
      branch: z.string(),
      worktree: z.string(),
      /** The machine that works on it, and what people call that. */
      host: z.string(),
      machine: z.string(),
      phase: z.string().nullable(),
      /** Its own open gates and requests for permission. */
      questions: z.number().int(),
    })
    .nullable(),
  /** Other lanes whose work could not be merged with its work, by file. */
  collisions: z.array(z.object({ with: z.string(), files: z.array(z.string()) })),
});
export type TaskView = z.infer<typeof TaskView>;

const forgeKinds = ["github", "gitlab", "gitea"] as const;

/** The pull request of a run; GitLab calls it a merge request. */
export const PullRequestView = z.object({
  forge: z.enum(forgeKinds).nullable(),
  url: z.url({ protocol: /^https?$/ }),
  number: z.number().int().nullable(),
});
export type PullRequestView = z.infer<typeof PullRequestView>;

/** `POST /api/runs/:id/pr`: pushes the branch of a run that has ended, and opens or updates its pull request. */
export const PullRequestRequest = z.object({
  dryRun: z.boolean().default(false),
  draft: z.boolean().default(false),
  remote: z.string().min(1).max(200).optional(),
  /** The branch it is for; by default the run's base branch. */
  base: z.string().min(1).max(1000).optional(),
});
export const PullRequestAnswer = z.object({
  /** Null when the remote is no forge that Devflow knows. */
  forge: z.enum(forgeKinds).nullable(),
  remote: z.string(),
  branch: z.string(),
  base: z.string(),
  title: z.string(),
  isDraft: z.boolean(),
  /**
   * `pushed`: the branch is there, and `commands` open the pull request. `unchanged`: there was nothing to push, so a forge that
   * is told by the push was told nothing. `none`: it was a dry run.
   */
  action: z.enum(["opened", "updated", "unchanged", "pushed", "none"]),
  url: z.string().nullable(),
  number: z.number().int().nullable(),
  /** What is left for a person to type; in a dry run, all of it. */
  commands: z.array(z.string()),
  /** The file with the text; null in a dry run, which has it in `body`. */
  bodyFile: z.string().nullable(),
  body: z.string().nullable(),
});
export type PullRequestAnswer = z.infer<typeof PullRequestAnswer>;

/** `GET /api/runs/:id`: everything that the page of a run shows first, in one response. */
export const RunDetail = RunSummary.extend({
  requirements: z.string(),
  worktree: z.string(),
  baseCommit: z.string(),
  bindings: z.array(z.object({ role: z.string(), persona: z.string(), backend: backendName })),
  phases: z.array(PhaseView),
  approvals: z.array(ApprovalView),
  sessions: z.array(SessionView),
  artifacts: z.array(ArtifactView),
  findings: z.array(FindingView),
  commands: z.array(CommandView),
  audit: z.array(AuditFindingView),
  /** Only the open ones. */
  permissions: z.array(PermissionView),
  /** What people said to its agents, oldest first. */
  messages: z.array(MessageView),
  attachments: z.array(AttachmentView),
  /** Comments on lines that were not sent yet. */
  draftComments: z.number().int(),
  hasReport: z.boolean(),
  pullRequest: PullRequestView.nullable(),
  /** The run that it was forked from, and at which phase; `runId` is null if that run is gone. */
  forkOf: z.object({ runId: Id.nullable(), at: z.string(), commit: z.string() }).nullable(),
  forks: z.array(z.object({ runId: Id, at: z.string(), state: z.enum(runStates) })),
  /** In the order of the task graph; empty if the run has no lanes. */
  tasks: z.array(TaskView),
  stepFailure: StepFailure.nullable(),
});
export type RunDetail = z.infer<typeof RunDetail>;

/** `GET /api/runs?team&state&repo&cursor`. */
export const RunList = z.object({
  runs: z.array(RunSummary),
  cursor: z.string().nullable(),
  /** How many runs match, on all pages. */
  total: z.number().int(),
});
export type RunList = z.infer<typeof RunList>;

/** `GET /api/runs/counts?team`: how many runs are in each state. */
export const RunCounts = z.object({ counts: z.partialRecord(z.enum(runStates), z.number().int()) });
export type RunCounts = z.infer<typeof RunCounts>;

export const RunEventView = z.object({
  seq: z.number().int(),
  type: z.string(),
  phase: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
  actor: ActorView,
  at: Time,
  hash: z.string(),
});
export type RunEventView = z.infer<typeof RunEventView>;
/** `GET /api/runs/:id/events?after&limit`. */
export const RunEventList = z.object({ events: z.array(RunEventView), next: z.number().int().nullable() });

const TranscriptChunkView = z.object({ seq: z.number().int(), content: z.string(), at: Time });
/** `GET /api/sessions/:id/transcript?from&limit`. */
export const Transcript = z.object({ chunks: z.array(TranscriptChunkView), next: z.number().int().nullable() });

/** `GET /api/runs/:id/diff`. */
export const RunDiff = z.object({
  base: z.string(),
  branch: z.string(),
  text: z.string(),
  isCut: z.boolean(),
  files: z.array(
    z.object({
      path: z.string(),
      /** Where a renamed or copied file came from. */
      from: z.string().nullable(),
      change: z.enum(["added", "modified", "deleted", "renamed", "copied", "type changed", "untracked"]),
      insertions: z.number().int().nullable(),
      deletions: z.number().int().nullable(),
      isBinary: z.boolean(),
      /** False: the diff was too long, and `text` is without this file. */
      isShown: z.boolean(),
    }),
  ),
});
export type RunDiff = z.infer<typeof RunDiff>;

const Override = z.strictObject({
  persona: z.string().optional(),
  backend: backendName.optional(),
  /** Instead of the persona's. */
  model: z.string().min(1).max(200).optional(),
});

/** What a run is started with when it names no template. */
export const defaultTemplate = "development@2";
/** The same with fake agents, which need no model: for a first look and for tests. */
export const fakeTemplate = "development-fake@1";

/** `POST /api/runs`: 201 for a new run, 200 for a repeated token, 409 with `{currentRunId, currentState}`, 429 for too many runs. */
export const RunStartRequest = z.object({
  teamId: Id.optional(),
  template: z.string().default(defaultTemplate),
  repository: z.string().min(1),
  baseBranch: z.string().optional(),
  title: z.string().max(500).optional(),
  requirements: z.string().min(1).max(1_000_000),
  objective: z.unknown().optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  /** What its agents may use before a person is asked. */
  maxUsd: z.number().positive().max(1_000_000).optional(),
  maxTokens: z.number().int().positive().optional(),
  overrides: z.record(z.string(), Override).optional(),
  /** Files that were uploaded before; see `AttachmentQuery`. */
  attachments: z.array(Id).max(mostAttachments).optional(),
  queue: z.boolean().default(false),
  /** The machine, or a label of machines, that it goes to; by default the server's own. */
  on: z.string().min(1).max(200).optional(),
  clientToken: z.string().min(1).max(200),
});
export type RunStartRequest = z.input<typeof RunStartRequest>;

export const RunStarted = z.object({
  runId: Id,
  state: z.enum(runStates),
  queued: z.boolean(),
  created: z.boolean(),
  overlaps: z.array(Id),
  /** Template and persona files that are not valid; the run uses what was stored before. */
  ignoredFiles: z.array(z.string()),
});

/** `POST /api/runs/:id/fork`: a new run from the state before a phase; answers like `POST /api/runs`. */
export const ForkRequest = z.object({
  at: z.string().min(1).max(200),
  title: z.string().min(1).max(500).optional(),
  /** Roles that are not named keep their persona. */
  overrides: z.record(z.string(), Override).optional(),
  /** Instead of the template's, for that phase. */
  instructions: z.string().min(1).max(200_000).optional(),
  maxUsd: z.number().positive().max(1_000_000).optional(),
  maxTokens: z.number().int().positive().optional(),
  queue: z.boolean().default(false),
  clientToken: z.string().min(1).max(200),
});
export type ForkRequest = z.input<typeof ForkRequest>;

/** One of the two runs of a comparison. */
export const ComparedRun = z.object({
  id: Id,
  title: z.string(),
  state: z.enum(runStates),
  bindings: z.array(z.object({ role: z.string(), persona: z.string(), model: z.string().nullable() })),
  /** Since the fork, in both: what they share is not counted. */
  usd: z.number().nullable(),
  tokens: z.number().int(),
  seconds: z.number(),
  attempts: z.number().int(),
  findings: z.object({ open: z.number().int(), blocking: z.number().int(), total: z.number().int() }),
  /** Of the last run of the tests; null if there was none. */
  testsPassed: z.boolean().nullable(),
  /** Against the base commit; null if its worktree and its branch are gone. */
  diff: z.object({ files: z.number().int(), insertions: z.number().int(), deletions: z.number().int() }).nullable(),
});
export type ComparedRun = z.infer<typeof ComparedRun>;

/** `GET /api/runs/:id/comparison`: a fork beside the run that it was forked from. */
export const RunComparison = z.object({
  at: z.string(),
  origin: ComparedRun,
  fork: ComparedRun,
  /** Whether the fork has other instructions for that phase. */
  hasOwnInstructions: z.boolean(),
  /** From the origin's work to the fork's, file by file; null if one of them is gone. */
  between: z
    .array(
      z.object({
        path: z.string(),
        insertions: z.number().int().nullable(),
        deletions: z.number().int().nullable(),
      }),
    )
    .nullable(),
});
export type RunComparison = z.infer<typeof RunComparison>;

/** `GET /api/runs/notifications`: messages to the webhook that wait, fail, or were given up within a week. */
export const NotificationState = z.object({
  waiting: z.number().int(),
  failing: z.number().int(),
  givenUp: z.number().int(),
  lastError: z.string().nullable(),
});
export type NotificationState = z.infer<typeof NotificationState>;

/** `POST /api/runs/preview`: which persona would play which role, and why. Saves nothing. */
export const BindingPreview = z.object({
  ok: z.boolean(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  roles: z.array(
    z.object({
      role: z.string(),
      chosen: z.string().nullable(),
      backend: backendName.nullable(),
      why: z.string(),
      others: z.array(z.object({ persona: z.string(), why: z.string() })),
    }),
  ),
});
export type BindingPreview = z.infer<typeof BindingPreview>;

/** `POST /api/approvals/:id/decisions`: 201 for a new decision, 200 for a repeated token, 409 if already decided. */
export const DecisionRequest = z.object({
  verdict: z.enum(verdicts),
  comment: z.string().max(20_000).optional(),
  /** At a gate that offers a choice; by default the first. */
  choice: z.string().min(1).max(50).optional(),
  /** Drafts on lines of the diff, sent with a request for changes. */
  comments: SentComments,
  clientToken: z.string().min(1).max(200),
  /** The epoch that the person saw: a verdict on an earlier question is refused. */
  epoch: z.number().int().optional(),
});
export const DecisionAnswer = z.object({
  id: Id,
  approvalId: Id,
  runId: Id,
  verdict: z.enum(verdicts),
  comment: z.string().nullable(),
  actor: ActorView,
  decidedAt: Time,
  created: z.boolean(),
});

/** `POST /api/runs/:id/findings/:finding/waiver`; answers with the finding. */
export const WaiverRequest = z.object({ reason: z.string().trim().min(1).max(2000) });

/** `POST /api/runs/:id/{pause,resume,abort}`. */
export const ControlRequest = z.object({
  clientToken: z.string().min(1).max(200),
  reason: z.string().max(2000).optional(),
  hard: z.boolean().default(false),
});
/** `POST /api/runs/:id/adopt`: takes over, or ends, a run of the machine `from`, which is gone. */
export const AdoptRequest = z.object({
  from: z.string().min(1).max(200),
  repository: z.string().min(1).max(4096).optional(),
  end: z.boolean().default(false),
});
/** How far an answer reaches. */
export const permissionScopes = ["once", "run", "repository"] as const;
export const PermissionRequest = z.object({
  sessionId: Id,
  answer: z.enum(["allow", "deny"]),
  scope: z.enum(permissionScopes).default("once"),
});
/** `GET /api/permissions/rules`: what agents may do without asking in every run on a repository. */
export const PermissionRuleView = z.object({ id: Id, repository: z.string(), covers: z.string(), createdAt: Time });
export type PermissionRuleView = z.infer<typeof PermissionRuleView>;
export const PermissionRules = z.object({ rules: z.array(PermissionRuleView) });
export const PermissionAnswer = PermissionRequest.extend({ id: z.string() });

/** `GET /api/runs/:id/{phases,artifacts}`. */

const Usage = z.object({
  usd: z.number().nullable(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
});
/** `GET /api/runs/:id/cost`. `usd` is null if a price is unknown. */
export const RunCost = Usage.extend({ phases: z.array(Usage.extend({ phase: z.string().nullable() })) });
export type RunCost = z.infer<typeof RunCost>;

/** An agent's open request, with the run it belongs to. */
export const OpenPermission = PermissionView.extend({ runId: Id, runTitle: z.string() });
export type OpenPermission = z.infer<typeof OpenPermission>;

/** `GET /api/approvals?state`: gates, and with the pending ones the agents' open requests for permission. */
export const ApprovalList = z.object({ approvals: z.array(ApprovalView), permissions: z.array(OpenPermission) });
export const SessionList = z.object({ sessions: z.array(SessionView.extend({ runId: Id, runTitle: z.string() })) });

export const TemplateView = z.object({
  name: z.string(),
  version: z.number().int(),
  hash: z.string(),
  roles: z.array(
    z.object({
      id: z.string(),
      count: z.number().int(),
      requiredCapabilities: z.array(z.enum(capabilities)),
      preferredBackends: z.array(backendName),
    }),
  ),
  phases: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      kind: z.enum(phaseKinds),
      risk: z.enum(riskLevels),
      roles: z.array(z.string()),
      gates: z.array(z.string()),
      schema: z.string().nullable(),
      /** What the agents are told, with placeholders; null for a phase without agents. */
      instructions: z.string().nullable(),
      /** Earlier phases whose artifacts it gets. */
      inputs: z.array(z.string()),
      /** The words of its command, or the setting of the repository that has it. */
      command: z.union([z.object({ argv: z.array(z.string()) }), z.object({ from: z.string() })]).nullable(),
      /** When it runs at all, and where it goes back to. */
      when: z.string().nullable(),
      loop: z.object({ to: z.string(), max: z.number().int(), while: z.string() }).nullable(),
    }),
  ),
});
export type TemplateView = z.infer<typeof TemplateView>;
/** `blocked`: why no run can start with it now; null if one can. */
export const OfferedTemplate = TemplateView.extend({ blocked: z.string().nullable() });
export type OfferedTemplate = z.infer<typeof OfferedTemplate>;
/** A file of the server's home that is not valid. What was stored before under its name stays in force. */
export const DefinitionFileFault = z.object({ file: z.string(), problem: z.string() });
export type DefinitionFileFault = z.infer<typeof DefinitionFileFault>;
const faults = z.array(DefinitionFileFault);
export const TemplateList = z.object({ templates: z.array(OfferedTemplate), faults });

export const PersonaView = z.object({
  name: z.string(),
  version: z.number().int(),
  hash: z.string(),
  backend: backendName,
  capabilities: z.array(z.enum(capabilities)),
  maxRiskLevel: z.enum(riskLevels),
  allowedRoles: z.array(z.string()).nullable(),
});
export type PersonaView = z.infer<typeof PersonaView>;
export const PersonaList = z.object({ personas: z.array(PersonaView), faults });

export const VerifyAnswer = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

/**
 * Events of `/sse/runs/:id`. Only `run.event_appended` has an `id:` (the run's seq) and is replayed; the others only tell
 * the client to fetch again. A new connection replays all events; `?lastEventId` or `Last-Event-ID` resumes after an event;
 * `?transcriptFrom=<session>:<seq>` starts transcripts there.
 */
export const runStreamEvents = [
  "run.event_appended",
  "run.state_changed",
  "run.step_failure_changed",
  "phase.state_changed",
  "approval.created",
  "approval.resolved",
  "session.state_changed",
  "transcript.chunk_appended",
  "artifact.validated",
  "report.written",
  "ready",
  "heartbeat",
] as const;
export type RunStreamEvent = (typeof runStreamEvents)[number];
