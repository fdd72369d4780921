/**
 * Keeps a replaced driver from touching an agent.
 *
 * - `fenced(adapter)` wraps every verb that changes something: the session's folder stores the newest epoch it has seen,
 *   and a call with an older one is refused (`driver_replaced`).
 *
 * Check and action happen under one lock per folder, so a driver cannot be replaced between the two. The lock is released
 * when its process dies; while a frozen process holds it, nobody else may act either.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { type Clock, systemClock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";
import { type ExclusiveLock, tryLock } from "@devflow/core/exclusive-lock";
import type { DriverCall, SessionAdapter } from "./adapter.ts";

const pollMs = 5;

export function fenced(adapter: SessionAdapter, clock: Clock = systemClock): SessionAdapter {
  const guard = <T>(folder: string, call: DriverCall, work: () => Promise<T>) => withFence(folder, call, work, clock);
  return {
    start: (input, call) => guard(input.folder, call, () => adapter.start(input, call)),
    sendPrompt: (handle, envelope, call) =>
      guard(handle.folder, call, () => adapter.sendPrompt(handle, envelope, call)),
    say: (handle, message, call) => guard(handle.folder, call, () => adapter.say(handle, message, call)),
    resume: (handle, call) => guard(handle.folder, call, () => adapter.resume(handle, call)),
    rebootstrap: (handle, call) => guard(handle.folder, call, () => adapter.rebootstrap(handle, call)),
    interrupt: (handle, call) => guard(handle.folder, call, () => adapter.interrupt(handle, call)),
    answerPermission: (handle, permissionId, answer, call) =>
      guard(handle.folder, call, () => adapter.answerPermission(handle, permissionId, answer, call)),
    dispose: (handle, call) => guard(handle.folder, call, () => adapter.dispose(handle, call)),
    // These only read.
    probe: (handle, signal) => adapter.probe(handle, signal),
    capture: (handle, afterSeq, signal) => adapter.capture(handle, afterSeq, signal),
    facts: (handle, afterSeq, signal) => adapter.facts(handle, afterSeq, signal),
  };
}

async function withFence<T>(
  folder: string,
  { epoch, signal }: DriverCall,
  work: () => Promise<T>,
  clock: Clock,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder, signal, clock);
  try {
    const newest = await newestEpoch(folder);
    if (newest > epoch) throw new DevflowError("driver_replaced", { details: { epoch, newest } });
    if (newest < epoch) await writeFileAtomic(epochFile(folder), String(epoch));
    return await work();
  } finally {
    lock.release();
  }
}

async function lockFolder(folder: string, signal: AbortSignal, clock: Clock): Promise<ExclusiveLock> {
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLock(join(folder, "driver.lock"));
    if (lock) return lock;
    await clock.sleep(pollMs, signal);
  }
}

const epochFile = (folder: string): string => join(folder, "driver.epoch");

async function newestEpoch(folder: string): Promise<number> {
  try {
    return Number(await readFile(epochFile(folder), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
