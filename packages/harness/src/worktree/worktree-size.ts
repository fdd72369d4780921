/**
 * The disk that a worktree takes.
 *
 * - `worktreeSize(path)` bytes on disk and number of files; links are not followed, a file with several names counts once.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface WorktreeSize {
  readonly bytes: number;
  readonly files: number;
}

export async function worktreeSize(path: string): Promise<WorktreeSize> {
  const seen = new Set<string>();
  let bytes = 0;
  let files = 0;
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const here = folder;
    // An agent may be at work: what vanishes meanwhile takes no disk.
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    await Promise.all(
      entries.map(async (entry) => {
        const whole = join(here, entry.name);
        if (entry.isDirectory()) folders.push(whole);
        const found = await lstat(whole).catch(() => undefined);
        if (!found) return;
        if (!entry.isDirectory()) {
          if (found.nlink > 1) {
            const name = `${found.dev}:${found.ino}`;
            if (seen.has(name)) return;
            seen.add(name);
          }
          files += 1;
        }
        bytes += found.blocks * 512;
      }),
    );
  }
  return { bytes, files };
}
