/**
 * A command with everything it started. Each command gets a process group and a mark in its environment; a process that
 * leaves the group (a daemon that calls setsid) still has the mark, and is found by it where the system shows environments (Linux).
 *
 * - `endGroup(target, graceMs)` asks all to end, waits, then kills; returns when none is left.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { liveProcess, liveProcesses } from "@devflow/core/process-table";

export const markVariable = "DEVFLOW_COMMAND_MARK";

export interface GroupTarget {
  /** The leader's pid, which is the group's. */
  readonly pid: number;
  readonly mark: string;
}

const lookAgainMs = 20;
const killedWithinMs = 5_000;

export async function endGroup(target: GroupTarget, graceMs: number): Promise<void> {
  let waitedFor = signalAll(target, "SIGTERM");
  const end = performance.now() + graceMs;
  while (waitedFor.length > 0 && performance.now() < end) {
    await sleep(lookAgainMs);
    waitedFor = waitedFor.filter(isLiving);
    // They may have started others meanwhile. Only then is the whole table read again, which takes milliseconds.
    if (waitedFor.length === 0) waitedFor = living(target);
  }
  // A killed process may have started another just before, so repeat until none is found.
  const giveUpAt = performance.now() + killedWithinMs;
  while (signalAll(target, "SIGKILL").length > 0 && performance.now() < giveUpAt) await sleep(lookAgainMs);
}

/** The processes that could be signalled. */
function signalAll(target: GroupTarget, name: NodeJS.Signals): readonly number[] {
  const found = living(target);
  if (found.length === 0) return found;
  // The whole group first: one by one, a parent could start a new child in between.
  signal(-target.pid, name);
  for (const pid of found) if (pid > 0) signal(pid, name);
  return found;
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It has exited, or another user's process has its pid now.
    return false;
  }
}

/** A negative number means a whole group. */
const isLiving = (pid: number): boolean => (pid < 0 ? signal(pid, 0) : liveProcess(pid) !== undefined);

function living(target: GroupTarget): number[] {
  if (process.platform !== "linux") return isLiving(-target.pid) ? [-target.pid] : [];
  const mark = `${markVariable}=${target.mark}`;
  return liveProcesses()
    .filter((one) => one.pid !== process.pid && (one.group === target.pid || one.variables.includes(mark)))
    .map(({ pid }) => pid);
}
