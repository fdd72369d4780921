/**
 * A command with everything it started. Each gets a group and a mark in its environment; what leaves the group (a daemon
 * that calls setsid) still carries the mark, and is found by it where the system shows environments (Linux).
 *
 * - `endGroup(target, graceMs)` asks all to end, waits, then kills; answers when none is left.
 */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export const markVariable = "DEVFLOW_COMMAND_MARK";

export interface GroupTarget {
  /** The leader's pid, which is the group's. */
  readonly pid: number;
  readonly mark: string;
}

const lookAgainMs = 20;
const killedWithinMs = 5_000;

export async function endGroup(target: GroupTarget, graceMs: number): Promise<void> {
  if (await signalAll(target, "SIGTERM")) {
    const end = performance.now() + graceMs;
    while (performance.now() < end && (await living(target)).length > 0) await sleep(lookAgainMs);
  }
  // A killed process may have started another just before; so until none is found.
  const giveUpAt = performance.now() + killedWithinMs;
  while ((await signalAll(target, "SIGKILL")) && performance.now() < giveUpAt) await sleep(lookAgainMs);
}

/** Was there anybody to signal? */
async function signalAll(target: GroupTarget, name: NodeJS.Signals): Promise<boolean> {
  const found = await living(target);
  if (found.length === 0) return false;
  // The group at once first: one by one, a parent could start a new child in between.
  signal(-target.pid, name);
  for (const pid of found) if (pid > 0) signal(pid, name);
  return true;
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It is gone, or another user's process took its number over.
    return false;
  }
}

/** A zombie is none of them: it holds nothing and waits only for its parent to look. */
async function living(target: GroupTarget): Promise<number[]> {
  if (process.platform !== "linux") return signal(-target.pid, 0) ? [-target.pid] : [];
  const mark = `${markVariable}=${target.mark}`;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
      // The command's name may hold brackets and blanks, so count from behind the last bracket.
      const [state, , group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      if (state === undefined || state === "" || state === "Z" || state === "X") return [];
      if (Number(group) === target.pid) return [Number(pid)];
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return environment.split("\0").includes(mark) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
