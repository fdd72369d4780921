/** The editor for a comment on lines of the diff, with the comments that those lines have already. */
import type { CommentView, RunDetail } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { type CommentTarget, placeName } from "../../model/runs/comment-lines.ts";
import { Button } from "../../parts/button.tsx";
import { isMac, Keys } from "../../parts/kbd.tsx";
import { Modal } from "../../parts/modal.tsx";
import { AttachField, AttachZone } from "./attach-field.tsx";
import { CommentItem } from "./comment-item.tsx";
import { Refusal } from "./gate-decision.tsx";
import { useAction } from "./use-action.ts";
import { useComments } from "./use-comments.ts";
import { useUploads } from "./use-uploads.ts";

/** What was typed and not kept, by run and lines, while the page is open: a click beside the dialog loses nothing. */
const typed = new Map<string, string>();

interface Props {
  readonly run: RunDetail;
  readonly target: CommentTarget;
  /** Those of the same lines. */
  readonly comments: readonly CommentView[];
  readonly onClose: () => void;
}

export function CommentDialog({ run, target, comments, onClose }: Props) {
  const { api } = useServices();
  const { refresh } = useComments(run.id);
  const uploads = useUploads(run.teamId);
  const key = `${run.id} ${target.side} ${placeName(target)}`;
  const [text, setText] = useState(() => typed.get(key) ?? "");
  const isOver = run.endedAt !== null;
  const { file, side, line, endLine } = target;
  const act = useAction(async (words: string, clientToken) => {
    const attachments = uploads.files.map(({ id }) => id);
    const about = { file, side, line, endLine, text: words, clientToken };
    await api.runs.comment(run.id, attachments.length > 0 ? { ...about, attachments } : about);
    typed.delete(key);
    await refresh();
  });
  async function keep(event?: { preventDefault(): void }) {
    event?.preventDefault();
    if (text.trim() !== "" && !uploads.isSending && (await act.send(text.trim()))) onClose();
  }
  const name = placeName(target);
  return (
    <Modal label={`Comment on ${name}`} onClose={onClose}>
      <AttachZone uploads={uploads}>
        <form onSubmit={(event) => void keep(event)} className="grid max-h-[74dvh] gap-3 overflow-y-auto p-4">
          <h2 className="min-w-0 text-body break-all">
            {name}
            {side === "old" && <span className="font-normal text-ink-soft"> before the change</span>}
          </h2>
          <pre className="max-h-32 overflow-auto rounded-small bg-sunken px-2 py-1 font-mono text-meta">
            {target.text || " "}
          </pre>
          {comments.map((comment) => (
            <CommentItem key={comment.id} runId={run.id} comment={comment} />
          ))}
          {isOver ? (
            <p className="text-ink-soft">The run has ended, so nobody would get a comment.</p>
          ) : (
            <>
              <textarea
                aria-label="Comment"
                data-focus
                rows={4}
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                  typed.set(key, event.target.value);
                }}
                onKeyDown={(event) => {
                  if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void keep(event);
                }}
                className="min-h-20 w-full rounded-small border border-line-strong bg-canvas p-2"
              />
              <AttachField uploads={uploads} />
              {act.fault && <Refusal fault={act.fault} />}
              <p className="text-meta text-ink-soft">
                Kept as a draft. The agent gets all comments at once, when you request changes or send them.
              </p>
            </>
          )}
          <div className="flex flex-wrap items-center justify-end gap-2">
            {!isOver && (
              <span className="mr-auto hidden text-meta text-ink-soft wide:inline">
                <Keys keys={[isMac ? "⌘" : "Ctrl", "Enter"]} /> keeps it
              </span>
            )}
            <Button onClick={onClose}>Close</Button>
            {!isOver && (
              <Button
                type="submit"
                variant="strong"
                disabled={act.isSending || uploads.isSending || text.trim() === ""}
              >
                Add comment
              </Button>
            )}
          </div>
        </form>
      </AttachZone>
    </Modal>
  );
}
