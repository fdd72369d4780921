/** Compares builds: a newer client replaces an idle daemon, an older one uses the running daemon. */
import type { DaemonState } from "./daemon-state.ts";

export interface Build {
  readonly version: string;
  /** The executable's path and modification time. */
  readonly executable: string;
  readonly executableTime: number;
}

type BuildOfDaemon = Pick<DaemonState, "binaryVersion" | "executable" | "executableTime">;

export async function isNewerBuild(ours: Build, daemon: BuildOfDaemon): Promise<boolean> {
  if (ours.version !== daemon.binaryVersion) {
    // Loaded only here, since nearly every command finds a daemon of its own version.
    const { compareVersions } = await import("@devflow/core/version-order");
    const order = compareVersions(ours.version, daemon.binaryVersion);
    if (order !== 0) return order > 0;
  }
  return ours.executable === daemon.executable && ours.executableTime > daemon.executableTime;
}
