/**
 * Removes the files of a run's attachments, and the copies that its agents got. What they were stays on record.
 *
 * - `attachmentBytes(context, runId)` the disk that they take; `removeAttachments(context, run)`.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EngineContext } from "../engine/context.ts";
import { attachmentFolder } from "./attachment-file.ts";
import { attachmentsOf, attachmentsRemoved } from "./attachment-repository.ts";
import { givenFolder } from "./give-attachments.ts";

export async function attachmentBytes({ database }: EngineContext, runId: string): Promise<number> {
  const found = await database.asEngine((tx) => attachmentsOf(tx, runId));
  return found.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The files first: after a crash in between, the rows still say that there is something to remove. */
export async function removeAttachments(
  { database, clock }: EngineContext,
  { id, folder }: { readonly id: string; readonly folder: string },
): Promise<void> {
  await rm(attachmentFolder(folder), { recursive: true, force: true });
  for (const session of await readdir(join(folder, "sessions")).catch(() => []))
    await rm(givenFolder({ handle: { folder: join(folder, "sessions", session) } }), { recursive: true, force: true });
  await database.asEngine((tx) => attachmentsRemoved(tx, id, new Date(clock.now())));
}
