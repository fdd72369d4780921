/**
 * A lock that is released when its owner dies: an operating system file lock, taken through SQLite, so a kill -9 leaves
 * nothing stale and no pid has to be trusted.
 *
 * - `tryLock(path)` the lock, or undefined when another process holds it.
 */
import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface ExclusiveLock {
  release(): void;
}

/** The garbage collector would close an unreferenced database and release its lock. */
const held = new Set<DatabaseSync>();

export function tryLock(path: string): ExclusiveLock | undefined {
  const file = new DatabaseSync(path);
  try {
    file.exec("pragma busy_timeout = 0");
    file.exec("pragma journal_mode = memory");
    file.exec("begin exclusive");
  } catch (error) {
    file.close();
    if (/locked|busy/i.test(String((error as Error).message))) return undefined;
    throw error;
  }
  chmodSync(path, 0o600);
  held.add(file);
  return {
    release() {
      if (held.delete(file)) file.close();
    },
  };
}
