/**
 * How long a session lives. One that an agent opened ends with that agent: its process is found from the caller's
 * ancestors, and must prove itself as long as the lease runs.
 *
 * - `leaseOf(pid)` the lease of a session whose first command came from this process.
 * - `leaseOn(pid)` a lease on a given process.
 * - `hasEnded(lease)`.
 */
import { readFileSync } from "node:fs";
import { isSameProcess, type ProcessProof, processIdentity } from "@devflow/core/process-proof";
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
 * An agent gives its session's id to what it starts, and does not have it itself: the agent is the parent of the
 * uppermost process that has one. Linux lets us look; elsewhere sessions live as long as the daemon.
 */
function agentAbove(callerPid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  let topmost: number | undefined;
  let pid = callerPid;
  for (let depth = 0; pid > 1 && depth < 64; depth++) {
    if (hasSessionId(pid)) topmost = pid;
    else if (topmost !== undefined) break;
    pid = parentOf(pid);
  }
  const agent = topmost === undefined ? 0 : parentOf(topmost);
  return agent > 1 ? agent : undefined;
}

function hasSessionId(pid: number): boolean {
  const environment = readProc(pid, "environ").split("\0");
  return environment.some((entry) => sessionVariables.some((name) => entry.startsWith(`${name}=`)));
}

function parentOf(pid: number): number {
  const stat = readProc(pid, "stat");
  // The command's name may hold spaces and brackets: count from behind the last bracket.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

function readProc(pid: number, file: "environ" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
