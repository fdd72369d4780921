/**
 * Attachments on their way to an agent: copies in its session's folder, among its instructions, which it may read whatever its
 * sandbox is. A copy, because an agent may write to what it is given.
 *
 * - `givenPath(session, attachment)` where the agent finds it.
 * - `giveAttachments(context, run, session, attachments)` puts the copies there, those that are missing. Safe to repeat.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "@devflow/core/atomic-file";
import type { EngineContext } from "../engine/context.ts";
import { fileNameOf, readAttachment, type StoredAttachment } from "./attachment-file.ts";

interface Session {
  readonly handle: { readonly folder: string };
}

export const givenFolder = ({ handle }: Session): string => join(handle.folder, "instructions", "attachments");

export const givenPath = (session: Session, attachment: Pick<StoredAttachment, "id" | "name">): string =>
  join(givenFolder(session), fileNameOf(attachment));

export async function giveAttachments(
  context: Pick<EngineContext, "home" | "log" | "database">,
  run: { readonly id: string; readonly folder: string },
  session: Session,
  attachments: readonly StoredAttachment[],
): Promise<void> {
  for (const one of attachments) {
    const path = givenPath(session, one);
    if (await stat(path).catch(() => undefined)) continue;
    const bytes = await readAttachment(context, run.folder, one);
    if (!bytes) {
      // The agent finds no such file and says so; the run goes on.
      context.log.warn({ runId: run.id, attachment: one.id }, "the file of an attachment is missing");
      continue;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, bytes);
  }
}
