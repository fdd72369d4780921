/**
 * Which process holds an exclusive lock, without touching the lock.
 *
 * - `lockHolder(path)` its pid; undefined when nobody holds it.
 */
import { readFileSync, statSync } from "node:fs";

export function lockHolder(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  return process.platform === "linux" ? holderIn(readFileSync("/proc/locks", "utf8"), found.ino) : holderByLsof(path);
}

/**
 * A line is `1: POSIX  ADVISORY  WRITE 4711 08:01:1234 0 EOF`. Devices are written differently on some file systems, so only the
 * inode is compared; a pid of 0 is a process of another container.
 */
function holderIn(table: string, inode: number): number | undefined {
  for (const line of table.split("\n")) {
    const [, pid, found] = /^\d+: POSIX\s+ADVISORY\s+WRITE\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s/.exec(line) ?? [];
    if (Number(found) === inode && Number(pid) > 0) return Number(pid);
  }
  return undefined;
}

/** Without /proc the system's own tool knows who has the file open; only the holder keeps it open. */
function holderByLsof(path: string): number | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync("lsof", ["-t", "--", path], { encoding: "utf8" });
  return Number(/^\d+$/m.exec(stdout ?? "")?.[0]) || undefined;
}
