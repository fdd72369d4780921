/** Drives real agents, each through a holder of its own. */
import type { Clock } from "@devflow/core/clock";
import type { SessionAdapter } from "../adapter.ts";
import { createFolderAdapter } from "../folder/folder-adapter.ts";
import { sessionFolder } from "../folder/session-folder.ts";
import { requireSandbox } from "../sandbox/require-sandbox.ts";
import { endLeftAgent, readAgentFile } from "./agent-file.ts";
import { type HeldStart, heldStart } from "./held-start.ts";

interface HeldAdapterOptions
  extends Pick<HeldStart, "wire" | "command" | "settings" | "hookCommand" | "insideCommand"> {
  /** How to start a holder; the session's folder is appended. */
  readonly holderCommand: readonly string[];
  /** What holder and agent get, with those of the repository's variables that they may have. */
  readonly environment: (variables: readonly string[]) => Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

export function createHeldAdapter(given: HeldAdapterOptions): SessionAdapter {
  const { wire, command, settings, hookCommand, insideCommand, holderCommand, ...options } = given;
  const adapter = createFolderAdapter({
    ...options,
    command: holderCommand,
    endLeft: (root) => endLeft(root, wire, options.environment([])),
    startFile: (input) => heldStart(input, { wire, command, settings, hookCommand, insideCommand }),
  });
  return {
    ...adapter,
    async start(input, call) {
      if (input.sandbox) await requireSandbox(options.environment([]));
      return await adapter.start(input, call);
    },
  };
}

/** An agent whose holder was killed: in a terminal it lives on, behind pipes it may for a moment. */
async function endLeft(root: string, wire: string, env: Readonly<Record<string, string>>): Promise<void> {
  endLeftAgent(readAgentFile(sessionFolder(root).agent));
  if (wire.startsWith("tmux-")) await (await import("../tmux/end-terminal.ts")).endTerminal(root, env);
}
