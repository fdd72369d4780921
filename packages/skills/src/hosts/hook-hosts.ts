/**
 * The agents that call hooks: where each keeps its settings, and at which of its events Devflow wants to be called.
 *
 * - `hookHosts` the table. A host that has Claude Code's file format and its names is one more row; what its events are called in Devflow
 *   is the `moment`. One with a format of its own needs a writer like `hook-entries.ts` besides.
 * - `settingsFile(host, place)` the file; `entriesOf(host, program)` what is written into it.
 *
 * Seen with Claude Code 2.1.325, Codex 0.166.0 and Qwen Code 0.24.4, November 2026. Limits are in seconds, for Qwen Code in milliseconds;
 * Devflow's own are below them.
 */
import { isAbsolute, join } from "node:path";
import type { Environment } from "@devflow/core/config";
import type { HookEntry } from "./hook-entries.ts";

interface HostEntry extends Omit<HookEntry, "command"> {
  readonly moment: string;
}

interface HookHost {
  readonly title: string;
  /** Under the person's home, and under the repository. */
  readonly file: string;
  /** An environment variable that replaces the folder of `file`. */
  readonly movedBy?: string;
  readonly entries: readonly HostEntry[];
  /** What a person has to do before the host runs them. */
  readonly trust?: string;
}

const edits = "Edit|Write|NotebookEdit";

export const hookHosts = {
  claude: {
    title: "Claude Code",
    file: ".claude/settings.json",
    movedBy: "CLAUDE_CONFIG_DIR",
    entries: [
      { event: "SessionStart", moment: "session-start", timeout: 5 },
      { event: "UserPromptSubmit", moment: "prompt", timeout: 3 },
      { event: "PreToolUse", matcher: "Bash", moment: "pre-bash", timeout: 5 },
      { event: "PreToolUse", matcher: edits, moment: "pre-edit", timeout: 3 },
      { event: "PostToolUse", matcher: `${edits}|Bash|Read`, moment: "post-tool", timeout: 10, async: true },
      { event: "Stop", moment: "stop", timeout: 10 },
      { event: "SessionEnd", moment: "session-end", timeout: 5 },
    ],
  },
  codex: {
    title: "Codex",
    file: ".codex/hooks.json",
    movedBy: "CODEX_HOME",
    entries: [
      { event: "SessionStart", moment: "session-start", timeout: 5 },
      { event: "UserPromptSubmit", moment: "prompt", timeout: 3 },
      { event: "PreToolUse", matcher: "^Bash$", moment: "pre-bash", timeout: 5 },
      { event: "PreToolUse", matcher: "^apply_patch$", moment: "pre-edit", timeout: 3 },
      { event: "PostToolUse", matcher: "^(Bash|apply_patch)$", moment: "post-tool", timeout: 10 },
      { event: "Stop", moment: "stop", timeout: 10 },
      { event: "SessionEnd", moment: "session-end", timeout: 3 },
    ],
    trust:
      "Codex skips hooks without a word until you trust them: start codex, type /hooks, and trust those of Devflow.",
  },
  qwen: {
    title: "Qwen Code",
    file: ".qwen/settings.json",
    entries: [
      { event: "SessionStart", moment: "session-start", timeout: 5_000 },
      { event: "UserPromptSubmit", moment: "prompt", timeout: 3_000 },
      { event: "PreToolUse", matcher: "^run_shell_command$", moment: "pre-bash", timeout: 5_000 },
      { event: "PreToolUse", matcher: "^(edit|write_file)$", moment: "pre-edit", timeout: 3_000 },
      {
        event: "PostToolUse",
        matcher: "^(edit|write_file|run_shell_command|read_file)$",
        moment: "post-tool",
        timeout: 10_000,
      },
      { event: "Stop", moment: "stop", timeout: 10_000 },
      { event: "SessionEnd", moment: "session-end", timeout: 3_000 },
    ],
  },
} as const satisfies Record<string, HookHost>;

export type HookHostName = keyof typeof hookHosts;
export const hookHostNames = Object.keys(hookHosts) as [HookHostName, ...HookHostName[]];

export function trustNote(name: HookHostName): string | undefined {
  const host: HookHost = hookHosts[name];
  return host.trust;
}

export function settingsFile(
  name: HookHostName,
  place: { readonly home: string; readonly env: Environment; readonly project?: string },
): string {
  const { file, movedBy }: HookHost = hookHosts[name];
  if (place.project !== undefined) return join(place.project, file);
  const moved = movedBy && place.env[movedBy];
  return moved && isAbsolute(moved) ? join(moved, file.split("/").at(-1) ?? "") : join(place.home, file);
}

/** `program`: the words that start Devflow, quoted for a shell. The host goes on even if that crashes or is no longer there. */
export function entriesOf(name: HookHostName, program: string): HookEntry[] {
  const { entries }: HookHost = hookHosts[name];
  return entries.map(({ moment, ...entry }) => ({
    ...entry,
    command: `${program} hook ${name} ${moment} 2>/dev/null || true`,
  }));
}
