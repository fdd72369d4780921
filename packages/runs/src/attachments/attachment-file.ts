/**
 * Where the content of an attachment is: first among the uploads of the home, then in the folder of its run, or in Postgres if that
 * is on another machine. Links are never followed.
 *
 * - `uploadPath(home, id)`, `attachmentPath(runFolder, attachment)`.
 * - `fileNameOf(attachment)` unique within the run, and harmless in a path, a terminal and a prompt.
 * - `placeUpload(context, run, attachment)` an upload that a run was given. `readUpload(home, attachment)` before that.
 * - `settleUpload(context, runFolder, attachment)` moves an upload to its run, if that was not done yet. Safe to repeat.
 * - `readAttachment(context, runFolder, attachment)` its bytes; undefined when the file is gone or is not what was stored.
 */
import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import { shortId } from "@devflow/core/short-id";
import { mostAttachmentBytes } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import { sentFile } from "./sent-file.ts";

export interface StoredAttachment {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
}

type Place = Pick<EngineContext, "home">;

export const uploadFolder = (home: string): string => join(home, "uploads");

export const uploadPath = (home: string, id: string): string => join(uploadFolder(home), id);

export const attachmentFolder = (runFolder: string): string => join(runFolder, "attachments");

export const attachmentPath = (runFolder: string, attachment: StoredAttachment): string =>
  join(attachmentFolder(runFolder), fileNameOf(attachment));

export function fileNameOf({ id, name }: Pick<StoredAttachment, "id" | "name">): string {
  const plain = name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9._-]+/g, "_")
    .replace(/^[._-]+/, "")
    .slice(-80);
  return `${shortId(id)}-${plain || "file"}`;
}

export async function settleUpload({ home }: Place, runFolder: string, attachment: StoredAttachment): Promise<void> {
  const path = attachmentPath(runFolder, attachment);
  const upload = uploadPath(home, attachment.id);
  if (!(await readRegular(path))) {
    const bytes = await readUpload(home, attachment);
    if (!bytes) return;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, bytes, 0o400);
    faultPoint("after_attachment_placed");
  }
  await rm(upload, { force: true });
}

/** After the run has it: where the run works, in its folder; of a run of another machine, only in Postgres. */
export async function placeUpload(
  context: Pick<EngineContext, "home" | "host">,
  run: { readonly host: string; readonly folder: string },
  attachment: StoredAttachment,
): Promise<void> {
  if (run.host === context.host) await settleUpload(context, run.folder, attachment);
  else await rm(uploadPath(context.home, attachment.id), { force: true });
}

export async function readUpload(
  home: string,
  { id, hash }: StoredAttachment,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const bytes = await readRegular(uploadPath(home, id));
  return bytes && hashBytes(bytes) === hash ? bytes : undefined;
}

export async function readAttachment(
  context: Place & Pick<EngineContext, "database">,
  runFolder: string,
  attachment: StoredAttachment,
): Promise<Buffer<ArrayBuffer> | undefined> {
  await settleUpload(context, runFolder, attachment);
  const bytes =
    (await readRegular(attachmentPath(runFolder, attachment))) ??
    (await context.database.asEngine((tx) => sentFile(tx, attachment.id)));
  return bytes && hashBytes(bytes) === attachment.hash ? bytes : undefined;
}

async function readRegular(path: string): Promise<Buffer<ArrayBuffer> | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (!file) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= mostAttachmentBytes ? Buffer.from(await file.readFile()) : undefined;
  } finally {
    await file.close();
  }
}
