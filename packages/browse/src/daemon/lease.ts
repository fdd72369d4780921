/**
 * How long a session lives. A session that an agent opened ends with that agent: its process is found among the
 * caller's ancestors, and its identity is checked as long as the lease runs.
 *
 * - `leaseOf(pid)` the lease of a session whose first command came from this process.
 * - `leaseOn(pid)` a lease on a given process.
 * - `hasEnded(lease)`.
 */
import { isSameProcess, type ProcessProof, processIdentity } from "@devflow/core/process-proof";
import { ancestry, type LiveProcess } from "@devflow/core/process-table";
import { sessionVariables } from "../client/index.ts";

export interface Lease {
  /** Without one the session lives as long as the daemon. */
  readonly owner?: ProcessProof;
}

export function leaseOf(callerPid: number): Lease {
  const agent = agentAbove(callerPid);
  return agent === undefined ? {} : leaseOn(agent);
}

export function leaseOn(pid: number): Lease {
  const identity = processIdentity(pid);
  return identity === undefined ? {} : { owner: { pid, identity } };
}

export const hasEnded = ({ owner }: Lease): boolean => owner !== undefined && !isSameProcess(owner);

export function leaseWords({ owner }: Lease): string {
  return owner ? `ends with process ${owner.pid}` : "ends with the browser";
}

/**
 * An agent passes its session id to the processes it starts but does not have it itself, so the agent is the parent of
 * the topmost process that has one. Only Linux shows this; elsewhere sessions live as long as the daemon.
 */
function agentAbove(callerPid: number): number | undefined {
  let topmost: LiveProcess | undefined;
  for (const one of ancestry(callerPid)) {
    if (hasSessionId(one)) topmost = one;
    else if (topmost !== undefined) break;
  }
  return topmost !== undefined && topmost.parent > 1 ? topmost.parent : undefined;
}

const hasSessionId = ({ pid, variables }: LiveProcess): boolean =>
  pid > 1 && variables.some((entry) => sessionVariables.some((name) => entry.startsWith(`${name}=`)));
