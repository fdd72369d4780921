/**
 * What a killed predecessor left in the daemon's own temp folder: profiles on disk, and a Chromium that outlived both
 * its pipe and its guard. Only processes that name that very folder are ended.
 *
 * - `sweepLeftovers(folder)` while the workspace's lock is held.
 */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

export async function sweepLeftovers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  if (names.length === 0) return;
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone meanwhile.
    }
  }
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })));
}

function processesOf(folder: string): number[] {
  let listed: string;
  try {
    listed = execFileSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  } catch {
    return [];
  }
  return listed.split("\n").flatMap((line) => {
    const match = /^\s*(\d+) (.*)$/.exec(line);
    return match?.[2]?.includes(`--user-data-dir=${folder}/`) ? [Number(match[1])] : [];
  });
}
