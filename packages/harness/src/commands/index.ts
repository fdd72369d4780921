export type { KeptLog } from "./bounded-log.ts";
export { commandEnvironment } from "./command-environment.ts";
export { type CommandJudgement, type JudgeContext, judgeCommand } from "./judge-command.ts";
export { redactKnown, secretValues } from "./known-secrets.ts";
export {
  type CommandEnding,
  commandEndings,
  type GuardedCommand,
  type GuardedResult,
  runGuarded,
} from "./run-guarded.ts";
