export { type CommandJudgement, type JudgeContext, judgeCommand } from "./judge-command.ts";
