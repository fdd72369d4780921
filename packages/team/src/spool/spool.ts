/**
 * Puts a record on disk, from where a drain sends it.
 *
 * - `spool(home, draft)` never throws and opens no socket. When it says `spooled`, the record survives a crash of the machine. When it
 *   could not, it says why, and the caller decides whom to tell.
 *
 * One file per record: temporary file, fsync, rename, fsync of the folder; 0600. Writers need no lock, so eight processes that
 * write at once lose nothing. Imports only `core` and built-ins, because hooks run it.
 */
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateFolder, syncFolder } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import { isUuid, uuidv7 } from "@devflow/core/ids";
import type { RecordDraft, SpooledRecord } from "./record.ts";
import { newFileName, type SpoolFolder, spoolFolder } from "./spool-folder.ts";

/** `full`: no space. `unwritable`: read-only, or not ours. `unfit`: it can never be sent. */
const spoolFailures = ["full", "unwritable", "unfit", "failed"] as const;
type SpoolFailure = (typeof spoolFailures)[number];

export type SpoolOutcome =
  | { readonly spooled: true; readonly id: string }
  | { readonly spooled: false; readonly why: SpoolFailure; readonly problem: string };

/** A body of 3.5 MB must hold at least one record and the data around it. */
const maxRecordBytes = 3_400_000;

export async function spool(home: string, draft: RecordDraft, nowMs: number = Date.now()): Promise<SpoolOutcome> {
  try {
    const id = (draft.id ?? uuidv7(nowMs)).toLowerCase();
    const bytes = Buffer.from(JSON.stringify(recordOf(draft, id, nowMs)));
    const unfit = unfitness(draft, id, bytes.length);
    if (unfit !== undefined) return { spooled: false, why: "unfit", problem: unfit };
    await write(spoolFolder(home), newFileName(id, nowMs), bytes);
    return { spooled: true, id };
  } catch (error) {
    return { spooled: false, ...failureOf(error) };
  }
}

function recordOf({ kind, to, repo, agent = null, expiresIn, payload }: RecordDraft, id: string, nowMs: number) {
  const { server, team, user } = to;
  const record: SpooledRecord = {
    ...{ id, kind, schema_version: 1, at: new Date(nowMs).toISOString(), server, team, user, repo, agent },
    ...(expiresIn === undefined ? {} : { expires_in: Math.ceil(expiresIn) }),
    payload,
  };
  return record;
}

function unfitness({ to }: RecordDraft, id: string, bytes: number): string | undefined {
  if (!isUuid(id)) return `its id ${id} is not a UUID`;
  if (!isUuid(to.team) || !isUuid(to.user)) return "its team or person is not a UUID";
  if (bytes > maxRecordBytes) return `it has ${bytes} bytes, and at most ${maxRecordBytes} can be sent`;
  return undefined;
}

async function write(folder: SpoolFolder, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(folder.new, `.${crypto.randomUUID()}.tmp`);
  faultPoint("spoolBeforeWrite");
  const file = await open(temporary, "wx", 0o600).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    await makeFolders(folder);
    return await open(temporary, "wx", 0o600);
  });
  try {
    try {
      await file.writeFile(bytes);
      faultPoint("spoolAfterWrite");
      await file.sync();
    } finally {
      await file.close();
    }
    faultPoint("spoolBeforeRename");
    await rename(temporary, join(folder.new, name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  faultPoint("spoolAfterRename");
  await syncFolder(folder.new);
  faultPoint("spoolAfterSync");
}

/** All of them, each private; a link in their place is refused. */
export async function makeFolders(folder: SpoolFolder): Promise<void> {
  for (const path of [folder.root, folder.new, folder.cur, folder.wait, folder.dead, folder.sent]) {
    await ensurePrivateFolder(path);
  }
}

function failureOf(error: unknown): { why: SpoolFailure; problem: string } {
  const { code, message } = error as { code?: string; message?: string };
  const problem = String(message ?? error);
  if (code === "ENOSPC" || code === "EDQUOT") return { why: "full", problem };
  if (["EACCES", "EPERM", "EROFS", "ENOTDIR", "ELOOP", "home_unusable"].includes(code ?? "")) {
    return { why: "unwritable", problem };
  }
  return { why: error instanceof TypeError ? "unfit" : "failed", problem };
}
