export { AlertState, type DigestPage, webhookFormats } from "./alerts.ts";
export * from "./auth.ts";
export { backendName } from "./backend-name.ts";
export * from "./brain.ts";
export * from "./browse.ts";
export * from "./changes.ts";
export type { DeepReadonly } from "./deep-readonly.ts";
export {
  type EvalExport,
  type EvalStatus,
  type EvalTier,
  type EvalVerdict,
  type EvalWorkerState,
  evalExports,
  evalStatuses,
  evalTiers,
} from "./eval-enums.ts";
export * from "./eval-run.ts";
export * from "./evals.ts";
export * from "./failure.ts";
export * from "./fleet.ts";
export {
  type ActivityRow,
  type AgentUsage,
  type EvalStruggles,
  type Judged,
  type Median,
  type QaHealth,
  type Rate,
  type ReviewSignal,
  recordChoices,
  type SuiteTrends,
  type TeamCosts,
  type TeamLeaderboard,
  type TeamOverview,
  type TeamRecord,
  type Velocity,
} from "./metrics.ts";
export { type PulledRow, RecordAnswer, RecordRow, RunResults } from "./records.ts";
export {
  type AccessTokenRow,
  changeOf,
  type InviteRow,
  MemberRow,
  RepoRow,
  type RpcAnswer,
  type RpcArguments,
  type RpcName,
  rpcAnswer,
  tokenScopes,
} from "./rpc.ts";
export * from "./run-care.ts";
export {
  AttachmentQuery,
  AttachmentView,
  CommentEdit,
  CommentList,
  type CommentPlace,
  CommentRequest,
  CommentView,
  diffSides,
  type MessageView,
  mostAttachmentBytes,
  mostAttachments,
  mostCommentedLines,
  mostRunAttachmentBytes,
  SayRequest,
} from "./run-talk.ts";
export * from "./runs.ts";
export * from "./server-state.ts";
export * from "./sign-in.ts";
export * from "./status.ts";
export { type TeamRole, TeamRow, teamRoles } from "./team-row.ts";
export * from "./text.ts";
