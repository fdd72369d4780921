/** Versions side by side: a newer client replaces an idle daemon, an older one uses what is there. */
import type { DaemonState } from "./daemon-state.ts";

export interface Build {
  readonly version: string;
  /** The file that runs, and when it was made. */
  readonly executable: string;
  readonly executableTime: number;
}

export function isNewerBuild(ours: Build, daemon: DaemonState): boolean {
  const order = compareVersions(ours.version, daemon.binaryVersion);
  if (order !== 0) return order > 0;
  return ours.executable === daemon.executable && ours.executableTime > daemon.executableTime;
}

/** Numbers by value; a pre-release comes before its release. */
function compareVersions(a: string, b: string): number {
  const [mainA = "", preA] = a.split("-", 2);
  const [mainB = "", preB] = b.split("-", 2);
  const [partsA, partsB] = [mainA.split("."), mainB.split(".")];
  for (let index = 0; index < Math.max(partsA.length, partsB.length); index++) {
    const difference = Number(partsA[index] ?? 0) - Number(partsB[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  if (preA === preB) return 0;
  if (preA === undefined) return 1;
  if (preB === undefined) return -1;
  return preA < preB ? -1 : 1;
}
