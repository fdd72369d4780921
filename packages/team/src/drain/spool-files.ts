/**
 * The files of the spool as a drain moves them. Every move is one rename, so that after a crash a record is in one folder, whole.
 *
 * - `waitingNames` what is in `new/`, in order. `claim` takes one into `cur/`; undefined when it is gone or cannot be read.
 * - `settle` puts a claimed record where it belongs; `returnAll` gives back what a killed drain had in hand.
 * - `tidy` forgets old `sent/` days and the temporary files of killed writers.
 */
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import { z } from "zod";
import { readFileName, reasonFile, type SpooledRecord, type SpoolFolder } from "../spool/index.ts";
import { type ClaimedRecord, wireJson } from "./batches.ts";
import type { Settlement } from "./decide-push.ts";

const Spooled = z.object({
  id: z.uuid(),
  kind: z.string(),
  schema_version: z.number().int(),
  at: z.string(),
  server: z.string().min(1),
  team: z.uuid(),
  user: z.uuid(),
  repo: z.string().nullable(),
  agent: z.string().nullable(),
  expires_in: z.number().int().optional(),
  payload: z.unknown(),
});

/** Why a record is in `wait/` or `dead/`. */
export const Reason = z.object({
  reason: z.string(),
  at: z.string(),
  /** What the server knew then; when it knows something else, the record is tried again. */
  version: z.string().optional(),
});
export type Reason = z.infer<typeof Reason>;

const sentDays = 14;
const abandonedMs = 3_600_000;

export async function recordNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => readFileName(name) !== undefined).sort();
}

/** Undefined when the file is no record. */
export async function readRecord(path: string): Promise<SpooledRecord | "gone" | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return "gone";
  const parsed = Spooled.safeParse(parseJson(text));
  return parsed.success ? (parsed.data as SpooledRecord) : undefined;
}

export async function readReason(folder: string, name: string): Promise<Reason | undefined> {
  const text = await readIfThere(join(folder, reasonFile(name)));
  return text === undefined ? undefined : Reason.safeParse(parseJson(text)).data;
}

/**
 * Undefined when the caller does not want it, and when it is gone. A file that is no record is not lost: it goes to `dead/`, where a
 * person can look at it.
 */
export async function claim(
  folder: SpoolFolder,
  name: string,
  { nowMs, isWanted }: { readonly nowMs: number; readonly isWanted: (record: SpooledRecord) => boolean },
): Promise<ClaimedRecord | "dead" | undefined> {
  const path = join(folder.new, name);
  const record = await readRecord(path);
  if (record === "gone") return undefined;
  const isRecord = record !== undefined && record.id === readFileName(name)?.id;
  if (isRecord && !isWanted(record)) return undefined;
  if (!(await moved(path, join(folder.cur, name)))) return undefined;
  faultPoint("drainAfterClaim");
  if (!isRecord) {
    await settle(folder, name, { to: "dead", reason: "the file cannot be read as a record" }, { nowMs });
    return "dead";
  }
  const json = wireJson(record);
  return { name, record, json, bytes: Buffer.byteLength(json) };
}

export async function settle(
  folder: SpoolFolder,
  name: string,
  { to, reason }: Settlement,
  { nowMs, version }: { readonly nowMs: number; readonly version?: string | undefined },
): Promise<void> {
  const from = join(folder.cur, name);
  switch (to) {
    case "gone":
      return await rm(from, { force: true });
    case "sent": {
      const day = join(folder.sent, new Date(nowMs).toISOString().slice(0, 10));
      if (await moved(from, join(day, name))) return;
      try {
        await ensurePrivateFolder(day);
      } catch (error) {
        if (!isFull(error)) throw error;
        // The server has it; the copy is only for a restore.
        return await rm(from, { force: true });
      }
      await moved(from, join(day, name));
      return;
    }
    case "new":
      await moved(from, join(folder.new, name));
      return;
    case "dead":
    case "wait": {
      const why: Reason = { reason, at: new Date(nowMs).toISOString(), ...(version === undefined ? {} : { version }) };
      await writeFileAtomic(join(folder[to], reasonFile(name)), `${JSON.stringify(why)}\n`).catch((error: unknown) => {
        if (!isFull(error)) throw error;
      });
      faultPoint("drainAfterReason");
      await moved(from, join(folder[to], name));
    }
  }
}

export async function returnAll(folder: SpoolFolder): Promise<void> {
  for (const name of await recordNames(folder.cur)) await moved(join(folder.cur, name), join(folder.new, name));
}

export async function tidy(folder: SpoolFolder, nowMs: number): Promise<void> {
  const oldest = new Date(nowMs - sentDays * 86_400_000).toISOString().slice(0, 10);
  for (const day of await readdir(folder.sent)) {
    if (/^\d{4}-\d{2}-\d{2}$/.test(day) && day < oldest)
      await rm(join(folder.sent, day), { recursive: true, force: true });
  }
  for (const name of await readdir(folder.new)) {
    if (!/^\.[0-9a-f]{12}\.tmp$/.test(name)) continue;
    const path = join(folder.new, name);
    const found = await stat(path).catch(() => undefined);
    if (found && nowMs - found.mtimeMs > abandonedMs) await rm(path, { force: true });
  }
}

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes((error as { code?: string }).code ?? "");

/** False when there is nothing to move: a person has erased it meanwhile. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
