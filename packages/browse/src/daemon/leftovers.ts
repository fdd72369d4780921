/**
 * Cleans up what a killed predecessor left in the daemon's own temp folder: profiles on disk, and a Chromium that
 * outlived both its pipe and its guard. Only processes that use this folder are killed.
 *
 * - `sweepLeftovers(folder)` call it while holding the workspace's lock.
 */
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { liveProcesses } from "@devflow/core/process-table";

export async function sweepLeftovers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.length === 0) return;
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Already gone.
    }
  }
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })));
}

function processesOf(folder: string): number[] {
  // Joined, since where only `ps` is available a path with a space is split.
  return liveProcesses().flatMap(({ pid, argv }) =>
    argv.join(" ").includes(`--user-data-dir=${folder}/`) ? [pid] : [],
  );
}
