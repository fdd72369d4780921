/** `folderSize(path)`: the bytes of all files under a folder; links are not followed, and a missing folder has none. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export async function folderSize(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) bytes += await folderSize(inside);
    else bytes += (await lstat(inside).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
