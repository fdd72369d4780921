/**
 * Copies of records that were erased for everybody leave this machine too.
 *
 * - `eraseRecords(folder, ids)` removes them from `sent/`, `dead/` and `wait/`, and with `unsent` from `new/` and `cur/`; returns how
 *   many files there were. An eval run takes its results along.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readFileName, reasonFile, type SpoolFolder } from "../spool/index.ts";
import { readRecord } from "./spool-files.ts";

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
      if (!(await isMeant(join(parentPath, name), name, wanted))) continue;
      await rm(join(parentPath, name), { force: true });
      await rm(join(parentPath, reasonFile(name)), { force: true });
      removed += 1;
    }
  }
  return removed;
}

/** The parts of an eval run name the record of its header. */
async function isMeant(path: string, name: string, wanted: ReadonlySet<string>): Promise<boolean> {
  const id = readFileName(name)?.id;
  if (id === undefined) return false;
  if (wanted.has(id)) return true;
  const record = await readRecord(path);
  if (record === undefined || record === "gone" || record.kind !== "eval_results") return false;
  return wanted.has(String((record.payload as { run?: unknown } | null)?.run).toLowerCase());
}
