/**
 * What Devflow's own processes use while agents work: the server, and the holders of its agents.
 *
 * - `holdersOf(home)` the pids of the holders of this home's sessions.
 * - `cpuMs(pids)` processor time since their start, in milliseconds; a process that has ended counts nothing.
 * - `residentMb(pid)` resident memory.
 */
import { readFileSync } from "node:fs";
import { liveProcesses } from "@devflow/core/process-table";

/** Of the kernel's clock, on every Linux that Devflow runs on. */
const msPerTick = 10;

export const holdersOf = (home: string): number[] =>
  liveProcesses().flatMap(({ pid, argv }) =>
    argv.includes("session-holder") && argv.at(-1)?.startsWith(home) ? [pid] : [],
  );

export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * msPerTick;
  } catch {
    return 0;
  }
}

export const residentMb = (pid: number): number =>
  Number(/^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1000;
