/** Fake agents: detached processes that follow a script. */
import type { Clock } from "@devflow/core/clock";
import type { SessionAdapter } from "../adapter.ts";
import { createFolderAdapter } from "../folder/folder-adapter.ts";
import { parseFakeScript } from "./script.ts";

interface FakeAdapterOptions {
  /** How to start the agent; the session's folder is appended. */
  readonly agentCommand: readonly string[];
  /** The agent's environment, with those of the repository's variables that it may have. */
  readonly environment: (variables: readonly string[]) => Readonly<Record<string, string>>;
  readonly defaultDelayMs?: number;
  readonly clock?: Clock;
}

export function createFakeAdapter({
  agentCommand,
  environment,
  defaultDelayMs = 50,
  clock,
}: FakeAdapterOptions): SessionAdapter {
  return createFolderAdapter({
    command: agentCommand,
    environment,
    startFile({ cwd, launch: { extra } }) {
      const delay = typeof extra.delayMs === "number" ? extra.delayMs : defaultDelayMs;
      return { cwd, script: parseFakeScript(extra.script ?? {}), defaultDelayMs: delay };
    },
    ...(clock ? { clock } : {}),
  });
}
