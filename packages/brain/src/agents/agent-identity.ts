/**
 * Who writes: an agent is one session of a host, for one person on one machine. Imports only `core`, because hooks run it.
 *
 * - `agentIdentity(of)` with the id that the same session always gets, wherever it is computed.
 * - `sessionOfCaller(env)` host and session of the agent that runs this command, from the variables that agents set for their commands;
 *   undefined for a person at a terminal.
 */
import type { Environment } from "@devflow/core/environment";
import { uuidv5 } from "@devflow/core/ids";

export interface AgentSession {
  /** The person's id. */
  readonly user: string;
  readonly machine: string;
  /** `claude`, `codex`, `run`; `terminal` for a person who types commands. */
  readonly host: string;
  /** The host's own id of the session. */
  readonly session: string;
}

const namespace = "5d0d7d0e-53a5-5f0c-9c4b-3c7f1f0e7a61";

export function agentIdentity(
  of: AgentSession,
  about: { readonly handle?: string; readonly model?: string } = {},
): { id: string; host: string; session: string; machine: string; handle?: string; model?: string } {
  const session = of.session.slice(0, 200);
  return {
    id: uuidv5(namespace, [of.user.toLowerCase(), of.machine, of.host, session].join("\n")),
    ...{ host: of.host, session, machine: of.machine },
    ...about,
  };
}

export function sessionOfCaller(env: Environment): Pick<AgentSession, "host" | "session"> | undefined {
  if (env.CLAUDE_CODE_SESSION_ID) return { host: "claude", session: env.CLAUDE_CODE_SESSION_ID };
  if (env.CODEX_THREAD_ID) return { host: "codex", session: env.CODEX_THREAD_ID };
  return undefined;
}
