export * from "./auth.ts";
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
export { type PulledRow, RecordAnswer, RecordRow, RunResults } from "./records.ts";
export {
  changeOf,
  MemberRow,
  RepoRow,
  type RpcAnswer,
  type RpcArguments,
  type RpcName,
  rpcAnswer,
  TeamRow,
} from "./rpc.ts";
export * from "./runs.ts";
export * from "./server-state.ts";
export * from "./status.ts";
export * from "./text.ts";
