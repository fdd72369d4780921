/** The rows of a run as the engine reads them: one snapshot, one round trip, parsed with zod. */
import {
  type ApprovalState,
  approvalStates,
  engineNames,
  findingCategories,
  permissionStates,
  phaseKinds,
  phaseStates,
  runStates,
  sessionStates,
  severities,
  verifierStatuses,
} from "@devflow/core/enums";
import { backendName } from "@devflow/protocol";
import { z } from "zod";

export const RunRow = z.object({
  id: z.string(),
  team_id: z.string(),
  started_by: z.string(),
  host: z.string(),
  engine: z.enum(engineNames),
  template_hash: z.string(),
  title: z.string(),
  state: z.enum(runStates),
  repo_path: z.string(),
  /** Where its commits are pushed to; null: its repository is a folder of its machine. */
  remote: z.string().nullable(),
  /** The same repository on every machine. */
  repo_key: z.string(),
  /** The label that its machine and those of its lanes have; null: it was started on a machine by its name. */
  host_label: z.string().nullable(),
  /** How often it moved to another machine, and after which move its worktree was set up. */
  incarnation: z.number(),
  set_up: z.number(),
  base_branch: z.string(),
  base_commit: z.string(),
  branch: z.string(),
  worktree_root: z.string(),
  /** Artifacts, sessions, command logs and the report. */
  folder: z.string(),
  parent_run_id: z.string().nullable(),
  root_run_id: z.string(),
  lane_id: z.string(),
  /** Of a lane: the commit of its parent's branch that it began with, and which try of its task it is. */
  lane_base: z.string().nullable(),
  lane_try: z.number().nullable(),
  rebase_of: z.string().nullable(),
  /** The run whose state before a phase this one began with, and that state's commit. */
  forked_from: z.string().nullable(),
  fork_phase: z.string().nullable(),
  fork_commit: z.string().nullable(),
  driver_epoch: z.number(),
  interrupt_requested: z.boolean(),
  exclusive: z.boolean(),
  queued: z.boolean(),
  current_phase_id: z.string().nullable(),
  paused_from_state: z.enum(["bound", "planning", "awaiting_approval", "executing"]).nullable(),
  pause_cause: z.string().nullable(),
  failure_reason: z.string().nullable(),
  final_report_path: z.string().nullable(),
  max_usd: z.number().nullable(),
  max_tokens: z.number().nullable(),
  budget_grants: z.number(),
  rate_limited_until: z.string().nullable(),
  event_seq: z.number(),
  chain_head: z.string(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type RunRow = z.infer<typeof RunRow>;

export const PhaseRow = z.object({
  id: z.string(),
  phase_key: z.string(),
  seq: z.number(),
  kind: z.enum(phaseKinds),
  state: z.enum(phaseStates),
  attempts: z.number(),
  automatic_attempts: z.number(),
  repair: z.boolean(),
  comment: z.string().nullable(),
  loops: z.number(),
  git_state: z.string().nullable(),
  reason: z.string().nullable(),
  /** What collided with other lanes when the attempt began. */
  collisions: z.string().nullable(),
  active_ms: z.number(),
  active_since: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type PhaseRow = z.infer<typeof PhaseRow>;

export const SessionRow = z.object({
  id: z.string(),
  role_id: z.string(),
  backend: backendName,
  adapter: z.string(),
  cwd: z.string(),
  state: z.enum(sessionStates),
  fault: z.enum(["died", "artifact_timed_out", "went_silent"]).nullable(),
  /** As the adapter returned it; only the adapter knows its full shape. */
  handle: z.looseObject({
    sessionId: z.string(),
    backend: backendName,
    folder: z.string(),
    pid: z.number().optional(),
    processIdentity: z.string().optional(),
  }),
  last_prompt_hash: z.string().nullable(),
  last_prompt_at: z.string().nullable(),
  last_fact_seq: z.number(),
  last_capture_seq: z.number(),
  recovery_attempts: z.number(),
  /** The last of its usage facts that is recorded. */
  usage_seq: z.number().default(0),
});
export type SessionRow = z.infer<typeof SessionRow>;

export const BindingRow = z.object({
  role_id: z.string(),
  persona_hash: z.string(),
  backend: backendName,
  persona: z.unknown(),
  override: z.looseObject({ model: z.string().optional() }).nullable(),
});
export type BindingRow = z.infer<typeof BindingRow>;

export const ApprovalRow = z.object({
  id: z.string(),
  phase_id: z.string().nullable(),
  gate_key: z.string(),
  kind: z.enum(["gate", "recovery", "cleanup"]),
  state: z.enum(approvalStates),
  epoch: z.number(),
  idempotency_key: z.string(),
  payload: z.record(z.string(), z.unknown()),
  timeout_at: z.string().nullable(),
});
export type ApprovalRow = z.infer<typeof ApprovalRow>;

export const ArtifactRow = z.object({
  id: z.string(),
  phase_id: z.string().nullable(),
  role_id: z.string().nullable(),
  attempt: z.number(),
  path: z.string(),
  schema_id: z.string(),
  hash: z.string(),
  valid: z.boolean(),
});
export type ArtifactRow = z.infer<typeof ArtifactRow>;

export const CommandRow = z.object({
  id: z.string(),
  phase_id: z.string().nullable(),
  attempt: z.number().nullable(),
  kind: z.string(),
  argv: z.array(z.string()),
  exit_code: z.number().nullable(),
  failure: z.string().nullable(),
  stdout_path: z.string().nullable(),
  stderr_path: z.string().nullable(),
  ended_at: z.string().nullable(),
});
export type CommandRow = z.infer<typeof CommandRow>;

export const FindingRow = z.object({
  id: z.string(),
  reviewer_role: z.string(),
  finding_key: z.string(),
  also_by: z.array(z.string()),
  severities: z.record(z.string(), z.enum(severities)),
  severity: z.enum(severities),
  category: z.enum(findingCategories),
  file_path: z.string().nullable(),
  line: z.number().nullable(),
  summary: z.string(),
  evidence: z.string().nullable(),
  verifier_status: z.enum(verifierStatuses),
  resolved: z.boolean(),
  waived_at: z.string().nullable(),
});
export type FindingRow = z.infer<typeof FindingRow>;

/** Neither fixed nor waived by a person. */
export const isOpenFinding = ({ resolved, waived_at: waivedAt }: FindingRow): boolean => !resolved && waivedAt === null;

export const PermissionRow = z.object({
  id: z.string(),
  session_id: z.string(),
  permission_id: z.string(),
  tool: z.string(),
  detail: z.string(),
  covers: z.string().nullable(),
  covers_hash: z.string().nullable(),
  state: z.enum(permissionStates),
  answered_by: z.unknown(),
  delivered_at: z.string().nullable(),
});
export type PermissionRow = z.infer<typeof PermissionRow>;

export const MessageRow = z.object({
  id: z.string(),
  session_id: z.string(),
  text: z.string(),
  delivered_at: z.string().nullable(),
});
export type MessageRow = z.infer<typeof MessageRow>;

/** A file that a person gave to the run. */
export const AttachmentRow = z.object({
  id: z.string(),
  name: z.string(),
  media_type: z.string(),
  bytes: z.number(),
  hash: z.string(),
  message_id: z.string().nullable(),
  /** The comment on lines that it belongs to, and what the comment was sent with. */
  comment: z
    .object({
      file: z.string(),
      line: z.number(),
      decision_id: z.string().nullable(),
      message_id: z.string().nullable(),
      phase_id: z.string().nullable(),
      attempt: z.number().nullable(),
    })
    .nullable(),
});
export type AttachmentRow = z.infer<typeof AttachmentRow>;

/** A prompt whose delivery was confirmed, from the event log. */
export const PromptRow = z.object({
  phase_id: z.string(),
  role: z.string(),
  attempt: z.number(),
  dedup_key: z.string(),
});
export type PromptRow = z.infer<typeof PromptRow>;

/** Where the run's branch begins. */
export const startCommit = (run: Pick<RunRow, "lane_base" | "fork_commit" | "base_commit">): string =>
  run.lane_base ?? run.fork_commit ?? run.base_commit;

/** What the run's work is compared with. */
export const diffBase = (run: Pick<RunRow, "lane_base" | "base_commit">): string => run.lane_base ?? run.base_commit;

const taskStates = ["waiting", "working", "finished", "merging", "merged", "done", "failed", "dropped"] as const;
export type TaskState = (typeof taskStates)[number];

/** A task of a phase of lanes, and the run that works on it. */
export const TaskRow = z.object({
  phase_id: z.string(),
  task_id: z.string(),
  seq: z.number(),
  title: z.string(),
  instructions: z.string(),
  depends_on: z.array(z.string()),
  write_set: z.array(z.string()),
  tests: z.array(z.string()),
  state: z.enum(taskStates),
  tries: z.number(),
  lane_run_id: z.string().nullable(),
  head: z.string().nullable(),
  merge_base: z.string().nullable(),
  merge_commit: z.string().nullable(),
  merge_order: z.number().nullable(),
  test_runs: z.number(),
  reason: z.string().nullable(),
  comment: z.string().nullable(),
  rebase_of: z.string().nullable(),
  lane: z
    .object({
      state: z.enum(runStates),
      /** Ended, with its report. */
      closed: z.boolean(),
      event_seq: z.number(),
      chain_head: z.string(),
      base: z.string(),
      branch: z.string(),
      worktree: z.string(),
      failure_reason: z.string().nullable(),
    })
    .nullable(),
});
export type TaskRow = z.infer<typeof TaskRow>;

/** What a lane has to know of its parent. */
export const ParentRow = z.object({
  id: z.string(),
  state: z.enum(runStates),
  /** Its last pause: the event, and whether it was to interrupt agents. */
  paused_seq: z.number().nullable(),
  paused_hard: z.boolean(),
  max_usd: z.number().nullable(),
  max_tokens: z.number().nullable(),
  budget_grants: z.number(),
});
export const isOpen = (state: ApprovalState): boolean => state === "pending" || state === "paused";
