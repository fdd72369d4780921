/**
 * What a test file must not leave behind: processes, timers, listening sockets.
 *
 * - `watchLeaks()` records the current state; `check()` rejects with a list of what was added and left, each with its source,
 *   and ends it, so that one file's leak does not affect the next.
 * - `expectNoLeaks()` the same for the processes of this file, for use inside a test; `among` those with such a command, where a database
 *   or a server of the file goes on.
 */
import { setTimeout as pause } from "node:timers/promises";
import { testTag } from "../test-tag.ts";
import { listeningSockets } from "./listeners.ts";
import { type LivingProcess, leftProcesses } from "./processes.ts";
import { type LivingTimer, watchTimers } from "./timers.ts";

interface LeakWatch {
  check(graceMs?: number): Promise<void>;
}

/** Long enough for a process to exit on a busy machine. */
const defaultGraceMs = 1500;

export function watchLeaks(): LeakWatch {
  const tag = testTag();
  const timers = watchTimers();
  const listeningBefore = new Set(listeningSockets().keys());
  const before = new Set(leftProcesses(tag).map(({ pid }) => pid));

  const look = () => ({
    processes: leftProcesses(tag).filter(({ pid }) => !before.has(pid)),
    timers: timers.left(),
    sockets: [...listeningSockets()].filter(([inode]) => !listeningBefore.has(inode)).map(([, address]) => address),
  });

  return {
    async check(graceMs = defaultGraceMs) {
      const found = await waitUntilClean(look, graceMs);
      timers.stop();
      if (!found) return;
      for (const { pid } of found.processes) endProcess(pid);
      timers.clearAll();
      throw new Error(leakReport(process.argv[1] ?? "this test file", found));
    },
  };
}

export async function expectNoLeaks(graceMs = defaultGraceMs, { among = /./ }: { among?: RegExp } = {}): Promise<void> {
  const tag = testTag();
  const look = () => ({
    processes: leftProcesses(tag).filter(({ command }) => among.test(command)),
    timers: [],
    sockets: [],
  });
  const found = await waitUntilClean(look, graceMs);
  if (found) throw new Error(leakReport("This test", found));
}

interface Leaks {
  readonly processes: readonly LivingProcess[];
  readonly timers: readonly LivingTimer[];
  readonly sockets: readonly string[];
}

async function waitUntilClean(look: () => Leaks, graceMs: number): Promise<Leaks | undefined> {
  const deadline = performance.now() + graceMs;
  for (;;) {
    const found = look();
    const { processes, timers, sockets } = found;
    if (processes.length + timers.length + sockets.length === 0) return undefined;
    // A timer that is due much later may still be cleared soon, such as that of a connection being closed.
    if (performance.now() > deadline) return found;
    await pause(25);
  }
}

function leakReport(who: string, { processes, timers, sockets }: Leaks): string {
  const lines = [
    ...processes.map(({ pid, command }) => `  process ${pid}: ${command.slice(0, 300)}`),
    ...timers.map(({ kind, ms, madeAt }) => `  timer: ${kind} of ${ms} ms, created at ${madeAt}`),
    ...sockets.map((address) => `  a server that still listens: ${address}`),
  ];
  return `${who} left behind:\n${lines.join("\n")}\nStop each of them in the test, or in its afterAll.`;
}

/** Only processes with this file's mark or its descendants get here, so ending them is safe. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}
