/**
 * Records of one destination that the server does not have yet: written, claimed or held back. For what shows a person their own
 * work before it was sent.
 */
import { join } from "node:path";
import type { SpooledRecord, SpoolFolder } from "../spool/index.ts";
import { readRecord, recordNames } from "./spool-files.ts";

/** A machine that was offline for weeks has thousands; the newest are what a person looks for. */
const mostFiles = 2_000;

export async function unsentRecords(
  folder: SpoolFolder,
  of: { readonly server: string; readonly team: string; readonly kinds: readonly string[] },
): Promise<SpooledRecord[]> {
  const found: { name: string; path: string }[] = [];
  for (const place of [folder.new, folder.cur, folder.wait])
    for (const name of await recordNames(place)) found.push({ name, path: join(place, name) });
  const newest = found.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(-mostFiles);
  const records: SpooledRecord[] = [];
  for (const { path } of newest) {
    const record = await readRecord(path);
    if (record === undefined || record === "gone") continue;
    if (record.server === of.server && record.team === of.team && of.kinds.includes(record.kind)) records.push(record);
  }
  return records;
}
