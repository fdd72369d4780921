/**
 * Copies of records that were erased for everybody leave this machine too.
 *
 * - `eraseRecords(folder, ids)` removes them from `sent/`, `dead/` and `wait/`, and with `unsent` from `new/` and `cur/`; returns how
 *   many files there were.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readFileName, reasonFile, type SpoolFolder } from "../spool/index.ts";

export async function eraseRecords(
  folder: SpoolFolder,
  ids: readonly string[],
  { unsent = false }: { readonly unsent?: boolean } = {},
): Promise<number> {
  if (ids.length === 0) return 0;
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const places = [folder.sent, folder.dead, folder.wait, ...(unsent ? [folder.new, folder.cur] : [])];
  let removed = 0;
  for (const place of places) {
    const files = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const { name, parentPath } of files) {
      if (!wanted.has(readFileName(name)?.id ?? "")) continue;
      await rm(join(parentPath, name), { force: true });
      await rm(join(parentPath, reasonFile(name)), { force: true });
      removed += 1;
    }
  }
  return removed;
}
