/**
 * Takes a file that a person wants to attach: checked, stored, and not part of any run yet.
 *
 * - `keepUpload(context, given, actor)` the attachment. Secrets in a text are taken out, as from everything that people send.
 *
 * The file is on disk before its row. Uploads that nobody used within a day are removed by the next one, also those that a crash
 * left without a row or beside their run.
 */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import { DevflowError } from "@devflow/core/errors";
import { faultPoint } from "@devflow/core/fault-point";
import { hashBytes } from "@devflow/core/hash";
import { isUuid, uuidv7 } from "@devflow/core/ids";
import { shortLine } from "@devflow/core/plain-text";
import { type AttachmentView, mostAttachmentBytes } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import { cleanText } from "../engine/run-secrets.ts";
import type { Actor } from "../events/actor.ts";
import { settleUpload, uploadFolder, uploadPath } from "./attachment-file.ts";
import { insertUpload, runOfAttachment, unusedSince } from "./attachment-repository.ts";
import { claimedType, isTextType, mediaTypeOf } from "./media-type.ts";

export interface GivenFile {
  readonly teamId: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

const unusedForMs = 24 * 3600_000;

export async function keepUpload(context: EngineContext, given: GivenFile, actor: Actor): Promise<AttachmentView> {
  if (actor.kind === "agent") throw new DevflowError("agent_may_not_decide");
  const name = shortLine(given.name.split(/[\\/]/).at(-1) ?? "", 200) || "file";
  const mediaType = checkedType(name, given.bytes);
  const text = isTextType(mediaType) ? Buffer.from(given.bytes).toString("utf8") : undefined;
  const clean = text === undefined ? undefined : cleanText(text, context);
  const isRedacted = clean !== text;
  const bytes = isRedacted ? Buffer.from(clean ?? "") : Buffer.from(given.bytes);
  const now = new Date(context.clock.now());
  const upload = {
    id: uuidv7(),
    teamId: given.teamId,
    host: context.host,
    name: cleanText(name, context),
    mediaType,
    bytes: bytes.length,
    hash: hashBytes(bytes),
    isRedacted,
  };
  await removeUnused(context, now);
  const path = uploadPath(context.home, upload.id);
  await mkdir(uploadFolder(context.home), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, bytes);
  faultPoint("after_upload_written");
  await context.database.asEngine((tx) => insertUpload(tx, upload, actor, now));
  const { id } = upload;
  const unused = { isRemoved: false, commentId: null, messageId: null };
  return { id, name: upload.name, mediaType, bytes: bytes.length, isRedacted, ...unused };
}

function checkedType(name: string, bytes: Uint8Array): string {
  if (bytes.length === 0) throw refused(`${name} is empty.`);
  if (bytes.length > mostAttachmentBytes)
    throw refused(`${name} is larger than ${mostAttachmentBytes / 1024 / 1024} MB.`);
  const type = mediaTypeOf(bytes);
  const claimed = claimedType(name);
  if (claimed !== undefined && claimed !== type) {
    const found = type === "application/octet-stream" ? "something else" : type;
    throw refused(`${name} is ${found} by its content, and not ${claimed} as its name says.`);
  }
  return type;
}

function refused(problem: string): DevflowError {
  return new DevflowError("input_invalid", { details: { problem, next: "Attach another file, or rename it." } });
}

async function removeUnused({ database, host, home }: EngineContext, now: Date): Promise<void> {
  const before = new Date(now.getTime() - unusedForMs);
  for (const id of await database.asEngine((tx) => unusedSince(tx, host, before)))
    await rm(uploadPath(home, id), { force: true });
  for (const id of await readdir(uploadFolder(home)).catch(() => [])) {
    const path = uploadPath(home, id);
    const file = await stat(path).catch(() => undefined);
    if (!file || file.mtime >= before) continue;
    const used = isUuid(id) ? await database.asEngine((tx) => runOfAttachment(tx, id)) : undefined;
    if (used) await settleUpload({ home }, used.folder, used);
    else await rm(path, { force: true });
  }
}
