/**
 * Claude Code's own interface, for the terminal wire.
 *
 * A new worktree is a folder that it does not trust, and its question would swallow the first prompt. Devflow made the
 * folder from a repository that the person runs agents in, so it is trusted for this process only
 * (`CLAUDE_CODE_SANDBOXED`); nothing is written to the person's configuration. The repository's own settings, which trust
 * would bring into force, are left out anyway (`--setting-sources user`).
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { claudeMode, claudeOptions } from "../claude/claude-arguments.ts";
import { findHistory } from "../claude/claude-history.ts";
import { sessionFolder } from "../folder/session-folder.ts";
import type { MakeWire, WireHost } from "../holder/wire.ts";
import { writeFileSyncAtomic } from "../holder/write-file-sync-atomic.ts";
import { claudeRecordReader } from "./claude-record.ts";
import type { TerminalAgent } from "./terminal-agent.ts";
import { terminalWire } from "./terminal-wire.ts";

const hookEvents = ["UserPromptSubmit", "PermissionRequest", "Stop"];
/** A permission waits for a person. */
const hookSeconds = 7 * 24 * 3600;

export const claudeTerminalWire: MakeWire = (host) => terminalWire(claudeTerminal, host);

function claudeTerminal({ root, start, env }: WireHost): TerminalAgent {
  return {
    name: "Claude Code",
    look: { glyph: "❯", above: "─" },
    expectedMode: claudeMode(start),
    reader: claudeRecordReader,
    findRecord: (agentSessionId) => findHistory(env, agentSessionId),
    mode: ({ input }) => (typeof input.permission_mode === "string" ? input.permission_mode : undefined),
    startKey: () => undefined,
    isLoading: () => false,
    notReady,
    rateLimit,

    async prepare(known, hookCommand) {
      const isKnown = known !== undefined && (await findHistory(env, known)) !== undefined;
      const agentSessionId = isKnown ? known : randomUUID();
      const settings = join(root, "claude-settings.json");
      const hook = [{ hooks: [{ type: "command", command: hookCommand, timeout: hookSeconds }] }];
      const hooks = Object.fromEntries(hookEvents.map((event) => [event, hook]));
      writeFileSyncAtomic(settings, JSON.stringify({ hooks, showTurnDuration: true }));
      // Its own limit on costs works without a terminal only.
      const { maxUsd: _unused, ...extra } = start.launch.extra;
      const options = claudeOptions(
        { ...start, launch: { ...start.launch, extra } },
        isKnown ? { resume: agentSessionId } : { create: agentSessionId },
        [sessionFolder(root).instructions],
      );
      return {
        agentSessionId,
        command: [...start.command, "--settings", settings, ...options],
        env: {
          CLAUDE_CODE_SANDBOXED: "1",
          // A version that changes in the middle of a run.
          DISABLE_AUTOUPDATER: "1",
          // It would ask whether to shorten a long session that was idle for more than an hour.
          CLAUDE_CODE_RESUME_THRESHOLD_MINUTES: "100000000",
        },
      };
    },
  };
}

function notReady(screen: string): string | undefined {
  const again = "Run claude once in a terminal of yours, and start again.";
  if (/Select login method|Not logged in|Please run \/login/.test(screen))
    return `Claude Code is not logged in. ${again}`;
  if (/Detected a custom API key/.test(screen))
    return `Claude Code asks whether to use the API key of the environment. ${again}`;
  if (/Choose the text style/.test(screen)) return `Claude Code was never started by this user. ${again}`;
  if (/Unable to connect to Anthropic services/.test(screen))
    return `Claude Code cannot reach its provider:\n${screen}`;
  return undefined;
}

function rateLimit(screen: string): ReturnType<TerminalAgent["rateLimit"]> {
  const found = /429.*Retrying in (\d+)\s?s/.exec(screen);
  return found ? { reason: "the model's provider answered 429", seconds: Number(found[1]) } : undefined;
}
