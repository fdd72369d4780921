/** What a holder remembers about its agent across its own death: `agent.json` in the session's folder. */
import { existsSync, readFileSync } from "node:fs";
import { isSameProcess, processIdentity } from "@devflow/core/process-proof";
import { writeFileSyncAtomic } from "./write-file-sync-atomic.ts";

export interface AgentFile {
  readonly agentSessionId?: string | undefined;
  /** The agent's process, which leads a group of its own. */
  readonly pid?: number | undefined;
  readonly identity?: string | undefined;
  /** The agent has its prelude. */
  readonly isGreeted?: boolean | undefined;
}

export function readAgentFile(path: string): AgentFile {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as AgentFile) : {};
}

export function writeAgentFile(path: string, agent: AgentFile): void {
  writeFileSyncAtomic(path, JSON.stringify(agent));
}

export const withProcess = (agent: AgentFile, pid: number): AgentFile => ({
  ...agent,
  pid,
  identity: processIdentity(pid),
});

/** A new session of the agent does not have the prelude yet. */
export const withSession = (agent: AgentFile, agentSessionId: string): AgentFile =>
  agent.agentSessionId === agentSessionId ? agent : { ...agent, agentSessionId, isGreeted: false };

/** Ends what an earlier holder left: an agent whose pipes nobody holds any more, with its children. */
export function endLeftAgent({ pid, identity }: AgentFile): void {
  if (pid === undefined || identity === undefined || !isSameProcess({ pid, identity })) return;
  killGroup(pid);
}

export function killGroup(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
