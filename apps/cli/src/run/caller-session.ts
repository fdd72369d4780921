/**
 * Whether an agent runs this command. An agent's session has a token in its environment, and so has everything it starts; if
 * a child dropped it, its ancestors still have it (readable on Linux). On one account this is detection, not a sandbox.
 */
import { type Environment, environmentOf } from "@devflow/core/config";
import { ancestry } from "@devflow/core/process-table";

export function callerSession(env: Environment, pid = process.pid): string | undefined {
  return environmentOf(env).DEVFLOW_SESSION_TOKEN || sessionOfAncestors(pid);
}

const name = "DEVFLOW_SESSION_TOKEN=";

function sessionOfAncestors(first: number): string | undefined {
  for (const { variables } of ancestry(first)) {
    const found = variables.find((entry) => entry.startsWith(name) && entry.length > name.length);
    if (found) return found.slice(name.length);
  }
  return undefined;
}
