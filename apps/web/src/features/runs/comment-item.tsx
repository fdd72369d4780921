/** One comment on lines: who wrote what about which lines, where they are now, and whether an attempt answered it. */
import type { CommentView } from "@devflow/protocol";
import { useState } from "react";
import { useServices } from "../../app-context.tsx";
import { placeName } from "../../model/runs/comment-lines.ts";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useStatus } from "../../queries.ts";
import { useActorName } from "./actor-name.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import { Refusal } from "./gate-decision.tsx";
import { useAction } from "./use-action.ts";
import { useComments } from "./use-comments.ts";

interface Props {
  readonly runId: string;
  readonly comment: CommentView;
  /** Leads to the lines; absent where they are in view, and then they are not quoted. */
  readonly onShow?: ((comment: CommentView) => void) | undefined;
}

export function CommentItem({ runId, comment, onShow }: Props) {
  const nameOf = useActorName();
  const me = useStatus().data?.user.id;
  const [isEditing, setEditing] = useState(false);
  const { refresh } = useComments(runId);
  const { api } = useServices();
  const removing = useAction((id: string) => api.runs.removeComment(runId, id).then(refresh));
  const isMine = comment.author.userId === me;
  const name = placeName(comment);
  return (
    <article aria-label={`Comment on ${name}`} data-comment={comment.id} className="grid min-w-0 gap-1">
      <header className="flex flex-wrap items-center gap-x-2 text-meta">
        {onShow && comment.place.is !== "gone" ? (
          <button
            type="button"
            onClick={() => onShow(comment)}
            className="min-h-6 min-w-0 text-left font-mono break-all text-accent hover:underline"
          >
            {name}
          </button>
        ) : (
          <span className="min-w-0 font-mono break-all">{name}</span>
        )}
        {comment.side === "old" && <span className="text-ink-soft">before the change</span>}
        <PlaceNote comment={comment} />
        <span className="text-ink-soft">
          {nameOf(comment.author)}, <RelativeTime at={comment.updatedAt} />
        </span>
        <SentNote comment={comment} />
      </header>
      {onShow && (
        <pre className="max-h-20 overflow-auto rounded-small bg-sunken px-2 py-1 font-mono text-meta">
          {comment.quote}
        </pre>
      )}
      {isEditing ? (
        <EditText runId={runId} comment={comment} onDone={() => setEditing(false)} />
      ) : (
        <p className="break-words whitespace-pre-line">{comment.text}</p>
      )}
      <AttachmentList runId={runId} files={comment.attachments} />
      {comment.sent === null && !isEditing && (
        <div className="flex gap-4 text-meta">
          {isMine && (
            <button type="button" className="min-h-6 text-accent hover:underline" onClick={() => setEditing(true)}>
              Edit<span className="sr-only"> the comment on {name}</span>
            </button>
          )}
          <button
            type="button"
            className="min-h-6 text-bad hover:underline"
            disabled={removing.isSending}
            onClick={() => void removing.send(comment.id)}
          >
            Remove<span className="sr-only"> the comment on {name}</span>
          </button>
        </div>
      )}
      {removing.fault && <Refusal fault={removing.fault} />}
    </article>
  );
}

function PlaceNote({ comment: { place, commit } }: { comment: CommentView }) {
  if (place.is === "same") return null;
  const words = place.is === "moved" ? `now at line ${place.line}` : `changed since ${commit.slice(0, 10)}`;
  return <span className="text-warn">{words}</span>;
}

function SentNote({ comment: { sent } }: { comment: CommentView }) {
  if (!sent) return <span className="text-ink-soft">draft</span>;
  if (sent.answeredBy === null) return <span className="text-warn">sent, not answered yet</span>;
  return <span className="text-good">answered by attempt {sent.answeredBy}</span>;
}

function EditText({ runId, comment, onDone }: { runId: string; comment: CommentView; onDone: () => void }) {
  const { api } = useServices();
  const { refresh } = useComments(runId);
  const [text, setText] = useState(comment.text);
  const act = useAction((words: string) => api.runs.editComment(runId, comment, words).then(refresh));
  return (
    <form
      className="grid gap-2"
      onSubmit={async (event) => {
        event.preventDefault();
        if (text.trim() !== "" && (await act.send(text.trim()))) onDone();
      }}
    >
      <textarea
        aria-label="Comment"
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="w-full rounded-small border border-line-strong bg-canvas p-2"
      />
      <div className="flex gap-4 text-meta">
        <button type="submit" disabled={act.isSending} className="min-h-6 text-accent hover:underline">
          Save
        </button>
        <button type="button" className="min-h-6 text-ink-soft hover:underline" onClick={onDone}>
          Cancel
        </button>
      </div>
      {act.fault && <Refusal fault={act.fault} />}
    </form>
  );
}
