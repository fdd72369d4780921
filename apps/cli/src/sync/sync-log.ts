/**
 * `~/.devflow/sync.log`: one line per operation, for people. Kept small: at 1 MB it becomes `sync.log.1`.
 *
 * - `writeSyncLog(home, line)` never fails the caller.
 */
import { appendFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Home } from "@devflow/core/home";
import { shortLine } from "@devflow/core/plain-text";

const maxBytes = 1_000_000;

export const syncLogFile = (home: Home): string => join(home.root, "sync.log");

export async function writeSyncLog(home: Home, line: string): Promise<void> {
  const file = syncLogFile(home);
  try {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size > maxBytes) await rename(file, `${file}.1`);
    await appendFile(file, `[${new Date().toISOString()}] ${shortLine(line, 500)}\n`, { mode: 0o600 });
  } catch {
    // A full disk keeps no log; the records themselves are what counts.
  }
}
