/**
 * The rows of attachments: the only module that writes `app.run_attachments`.
 *
 * - `insertUpload(tx, upload)` a file that no run uses yet.
 * - `claimUploads(context, tx, owner, ids)` gives uploads of this person to a run, within the run's limit.
 * - `attachmentsOf(tx, runId)` those of a run whose files were not removed.
 * - `removeAttachmentsOf(tx, commentId)` those of a draft that is removed.
 * - `attachmentsRemoved(tx, runId)` their files are gone; what they were stays on record.
 * - `runOfAttachment(tx, id)` the attachment with the folder of its run; undefined when no run uses it.
 * - `unusedSince(tx, host, before)` uploads that nobody used; their rows are deleted.
 */
import { DevflowError } from "@devflow/core/errors";
import type { Transaction } from "@devflow/db";
import { mostRunAttachmentBytes } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import type { Actor } from "../events/actor.ts";
import { readUpload, type StoredAttachment } from "./attachment-file.ts";
import { sendFile } from "./sent-file.ts";

export interface Upload extends StoredAttachment {
  readonly teamId: string;
  readonly host: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly isRedacted: boolean;
}

export async function insertUpload(tx: Transaction, upload: Upload, actor: Actor, now: Date): Promise<void> {
  await tx`
    insert into app.run_attachments (id, team_id, host, name, media_type, bytes, hash, is_redacted, added_by, created_at)
    values (${upload.id}, ${upload.teamId}, ${upload.host}, ${upload.name}, ${upload.mediaType}, ${upload.bytes},
      ${upload.hash}, ${upload.isRedacted}, ${tx.json(actor)}, ${now})`;
}

export interface AttachmentOwner {
  readonly runId: string;
  readonly teamId: string;
  /** The machine of the run. */
  readonly host: string;
  readonly commentId?: string;
  readonly messageId?: string;
}

/**
 * The caller holds the run's lock, or has just created the run: two uses at once cannot exceed the limit together. For a run of
 * another machine the files go into Postgres with it, because the two share no disk.
 */
export async function claimUploads(
  context: Pick<EngineContext, "host" | "home">,
  tx: Transaction,
  { runId, teamId, host, commentId, messageId }: AttachmentOwner,
  given: readonly string[] = [],
  actor: Actor,
): Promise<readonly StoredAttachment[]> {
  const ids = [...new Set(given)];
  if (ids.length === 0) return [];
  const used = await tx<StoredAttachment[]>`
    update app.run_attachments set run_id = ${runId}, comment_id = ${commentId ?? null}, message_id = ${messageId ?? null}
    where id in (select jsonb_array_elements_text(${tx.json(ids)})::uuid) and run_id is null and team_id = ${teamId}
      and host = ${context.host} and added_by ->> 'userId' = ${actor.userId}
    returning id, name, hash`;
  if (used.length < ids.length) throw unknownUpload();
  const [row] = await tx<{ bytes: number }[]>`
    select sum(bytes)::float8 as bytes from app.run_attachments where run_id = ${runId} and removed_at is null`;
  if ((row?.bytes ?? 0) > mostRunAttachmentBytes) {
    const problem = `The attachments of a run may have ${mostRunAttachmentBytes / 1024 / 1024} MB in all.`;
    throw new DevflowError("input_invalid", { details: { problem, next: "Attach fewer or smaller files." } });
  }
  if (host === context.host) return used;
  for (const one of used) {
    const bytes = await readUpload(context.home, one);
    if (!bytes) throw unknownUpload();
    await sendFile(tx, { id: one.id, teamId }, bytes);
  }
  return used;
}

function unknownUpload(): DevflowError {
  const next = "Attach the files again; an upload is kept for a day and can be used once.";
  return new DevflowError("input_invalid", { details: { problem: "An attachment is not known.", next } });
}

export async function attachmentsOf(tx: Transaction, runId: string): Promise<(StoredAttachment & { bytes: number })[]> {
  return await tx<(StoredAttachment & { bytes: number })[]>`
    select id, name, hash, bytes from app.run_attachments where run_id = ${runId} and removed_at is null
    order by created_at, id`;
}

export async function attachmentsRemoved(tx: Transaction, runId: string, now: Date): Promise<void> {
  await tx`update app.run_attachments set removed_at = ${now} where run_id = ${runId} and removed_at is null`;
  await tx`
    delete from app.run_attachment_files
    where attachment_id in (select id from app.run_attachments where run_id = ${runId})`;
}

export async function removeAttachmentsOf(tx: Transaction, commentId: string): Promise<StoredAttachment[]> {
  return await tx<StoredAttachment[]>`
    delete from app.run_attachments where comment_id = ${commentId} returning id, name, hash`;
}

export async function runOfAttachment(
  tx: Transaction,
  id: string,
): Promise<(StoredAttachment & { readonly folder: string }) | undefined> {
  const [row] = await tx<(StoredAttachment & { folder: string })[]>`
    select a.id, a.name, a.hash, r.folder from app.run_attachments a join app.runs r on r.id = a.run_id where a.id = ${id}`;
  return row;
}

export async function unusedSince(tx: Transaction, host: string, before: Date): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    delete from app.run_attachments where host = ${host} and run_id is null and created_at < ${before} returning id`;
  return rows.map((row) => row.id);
}
