/**
 * Proof that a pid is still the process recorded in a state file: pids are reused, so a pid alone proves nothing.
 *
 * - `processIdentity(pid)` the start time reported by the system; undefined when there is no such process.
 * - `isSameProcess({ pid, identity })` true only when the pid is alive and its start time matches.
 */
import { readFileSync } from "node:fs";
import { linuxStat } from "./process-table.ts";

export interface ProcessProof {
  readonly pid: number;
  readonly identity: string;
}

export function processIdentity(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === "linux" ? linuxIdentity(pid) : portableIdentity(pid);
}

export function isSameProcess(proof: ProcessProof): boolean {
  const identity = processIdentity(proof.pid);
  return identity !== undefined && identity === proof.identity;
}

export function proofOfSelf(): ProcessProof {
  return { pid: process.pid, identity: processIdentity(process.pid) ?? "unknown" };
}

/** Boot id and start time in clock ticks: unique while the machine runs, and across reboots. */
function linuxIdentity(pid: number): string | undefined {
  const stat = linuxStat(pid);
  if (!stat || stat.isZombie) return undefined;
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot}:${stat.startedAt}`;
}

function portableIdentity(pid: number): string | undefined {
  try {
    // The same output for every locale and time zone.
    const env = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
    // Loaded only here: it takes a millisecond, and every `devflow browse` command proves a process.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim() || undefined;
  } catch {
    return undefined;
  }
}
