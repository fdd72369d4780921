/**
 * Which attachments an agent is given with what. Pure; the same for the same attempt every time, because they are part of a
 * prompt's bytes.
 *
 * - `promptAttachments(snapshot, phase)` those of the requirements, and those of comments that went with a verdict to this phase.
 * - `messageAttachments(snapshot, messageId)` those of a message, and of the comments that went with it.
 * - `attachmentLines(session, attachments)` how they are listed for the agent of a session.
 */
import { plainLine } from "@devflow/core/plain-text";
import type { AttachmentRow, PhaseRow } from "../engine/rows.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { givenPath } from "./give-attachments.ts";

export const promptAttachments = (
  { attachments }: Pick<Snapshot, "attachments">,
  phase: Pick<PhaseRow, "id" | "attempts">,
): AttachmentRow[] =>
  attachments.filter(({ message_id: message, comment }) => {
    if (!comment) return message === null;
    return comment.decision_id !== null && comment.phase_id === phase.id && (comment.attempt ?? 0) <= phase.attempts;
  });

export const messageAttachments = (
  { attachments }: Pick<Snapshot, "attachments">,
  messageId: string,
): AttachmentRow[] =>
  attachments.filter((one) => one.message_id === messageId || one.comment?.message_id === messageId);

export const attachmentLines = (
  session: Parameters<typeof givenPath>[0],
  attachments: readonly AttachmentRow[],
): string[] =>
  attachments.map((one) => {
    const about = one.comment ? `, of the comment on ${plainLine(one.comment.file)}:${one.comment.line}` : "";
    return `- the file ${givenPath(session, one)} (${one.media_type}, ${one.bytes} bytes)${about}: ${plainLine(one.name)}`;
  });
