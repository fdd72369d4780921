/**
 * The local manifest against the server: is what it acknowledged in the last 14 days still there?
 *
 * - `verifySent(ports, repair)` asks for every id in `sent/`. With `repair`, what is missing goes back to `new/`, as after a restore of
 *   the server; copies of what was erased are removed.
 */
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { rpcAnswer } from "@devflow/protocol";
import { callRpc } from "../remote/index.ts";
import { type Destination, readFileName, type SpoolFolder } from "../spool/index.ts";
import { destinationKey } from "./batches.ts";
import type { TokenFor } from "./drain-pass.ts";
import { eraseRecords } from "./erase-records.ts";
import { readRecord, recordNames } from "./spool-files.ts";

export interface Verification {
  readonly checked: number;
  readonly missing: readonly string[];
  readonly erased: readonly string[];
  /** Destinations that could not be asked. */
  readonly unasked: readonly { readonly to: Destination; readonly records: number; readonly reason: string }[];
}

interface SentFile {
  readonly id: string;
  readonly path: string;
  readonly name: string;
}

const askedAtOnce = 500;
const timeoutMs = 5_000;

export async function verifySent(
  { folder, tokenFor }: { readonly folder: SpoolFolder; readonly tokenFor: TokenFor },
  { repair }: { readonly repair: boolean },
): Promise<Verification> {
  const missing: SentFile[] = [];
  const erased: string[] = [];
  const unasked: Verification["unasked"][number][] = [];
  let checked = 0;
  for (const { to, files } of await sentFiles(folder)) {
    const found = await tokenFor(to.server, to.user);
    if ("waiting" in found) {
      unasked.push({ to, records: files.length, reason: found.waiting });
      continue;
    }
    for (let start = 0; start < files.length; start += askedAtOnce) {
      const part = files.slice(start, start + askedAtOnce);
      const args = { team_id: to.team, ids: part.map(({ id }) => id) };
      const outcome = await callRpc(found, "find_records", args, { timeoutMs });
      const rows = outcome.is === "answered" ? rpcAnswer("find_records").safeParse(outcome.body).data : undefined;
      if (!rows) {
        const reason =
          outcome.is === "unreachable" ? outcome.reason : outcome.is === "refused" ? outcome.message : "no list";
        unasked.push({ to, records: files.length - start, reason });
        break;
      }
      const there = new Map(rows.map(({ id, is_erased }) => [id, is_erased]));
      checked += part.length;
      missing.push(...part.filter(({ id }) => !there.has(id)));
      erased.push(...part.flatMap(({ id }) => (there.get(id) ? [id] : [])));
    }
  }
  if (repair) for (const { path, name } of missing) await rename(path, join(folder.new, name));
  await eraseRecords(folder, erased);
  return { checked, missing: missing.map(({ id }) => id), erased, unasked };
}

async function sentFiles(folder: SpoolFolder): Promise<{ to: Destination; files: SentFile[] }[]> {
  const groups = new Map<string, { to: Destination; files: SentFile[] }>();
  for (const day of (await readdir(folder.sent).catch(() => [])).sort()) {
    for (const name of await recordNames(join(folder.sent, day)).catch(() => [])) {
      const path = join(folder.sent, day, name);
      const record = await readRecord(path);
      if (record === undefined || record === "gone") continue;
      const { server, team, user } = record;
      const key = destinationKey(record);
      const group = groups.get(key) ?? { to: { server, team, user }, files: [] };
      groups.set(key, group);
      group.files.push({ id: readFileName(name)?.id ?? "", path, name });
    }
  }
  return [...groups.values()];
}
