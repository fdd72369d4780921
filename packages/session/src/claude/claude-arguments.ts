/**
 * How Claude Code is started for a session. Nothing secret is among the arguments: keys come by the environment.
 *
 * Settings of the repository are left out (`--setting-sources user`): an agent could write them, and they can allow
 * tools. The prelude tells the agent to read CLAUDE.md itself.
 */
import type { HeldStart } from "../holder/held-start.ts";

export type ClaudeSession = { readonly resume: string } | { readonly create: string };

/** Tools that wait for a person at a keyboard, leave the worktree, or act after the turn. */
const unusableTools = [
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree"],
  ...["CronCreate", "CronDelete", "CronList", "ScheduleWakeup"],
];

/** For both ways of driving it, behind pipes and in a terminal. */
export function claudeOptions(start: HeldStart, session: ClaudeSession, readable: readonly string[]): string[] {
  const { launch, writableFolders } = start;
  return [
    ...("resume" in session ? ["--resume", session.resume] : ["--session-id", session.create]),
    ...["--permission-mode", claudeMode(start)],
    ...["--setting-sources", "user"],
    "--strict-mcp-config",
    ...["--disallowedTools", ...unusableTools],
    ...["--allowedTools", ...writableFolders.map((folder) => `Edit(/${folder}/**)`), ...allowedCommands(launch)],
    ...[...writableFolders, ...readable].flatMap((folder) => ["--add-dir", folder]),
    ...(launch.model ? ["--model", launch.model] : []),
    ...(launch.systemPrompt ? ["--append-system-prompt", launch.systemPrompt] : []),
    ...(launch.maxUsd === undefined ? [] : ["--max-budget-usd", launch.maxUsd.toFixed(2)]),
  ];
}

const allowedCommands = ({ allowedCommands: commands }: HeldStart["launch"]): string[] =>
  commands.map((command) => `Bash(${command})`);

/** A role that may not edit asks before each change of the worktree; its own artifacts are allowed by folder. */
export const claudeMode = ({ launch }: HeldStart): string =>
  launch.permissionMode ?? (launch.mayEdit ? "acceptEdits" : "default");
