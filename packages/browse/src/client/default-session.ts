/**
 * Whose session a command belongs to when it does not say: the agent's own, as its hooks and its environment tell.
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
