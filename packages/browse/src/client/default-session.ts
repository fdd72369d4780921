/**
 * The session of a command that does not name one: the agent's, according to its environment.
 */
import type { Environment } from "@devflow/core/environment";

/** In this order. */
export const sessionVariables = ["DEVFLOW_BROWSE_SESSION", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"] as const;

export function defaultSession(env: Environment): string | undefined {
  for (const name of sessionVariables) {
    const value = env[name];
    if (value) return value;
  }
  return undefined;
}
