/** The comments on lines of a run, above its diff: drafts first. */
import type { CommentView, RunDetail } from "@devflow/protocol";
import { CommentItem } from "./comment-item.tsx";
import { useComments } from "./use-comments.ts";

export function CommentList({ run, onShow }: { run: RunDetail; onShow: (comment: CommentView) => void }) {
  const { comments, drafts, fault } = useComments(run.id);
  if (fault) {
    return (
      <p role="alert" className="border-b border-line px-4 py-2 text-meta text-bad">
        The comments cannot be read: {fault.message}
      </p>
    );
  }
  if (comments.length === 0) return null;
  const sent = comments.filter((comment) => comment.sent !== null).toReversed();
  const words = drafts.length === 1 ? "1 comment to send" : `${drafts.length} comments to send`;
  return (
    <section aria-label="Comments on lines" className="border-b border-line px-4 py-2">
      <details open>
        <summary className="min-h-6 text-meta font-medium">
          {drafts.length > 0 ? words : `${comments.length} ${comments.length === 1 ? "comment" : "comments"}`}
        </summary>
        <ul className="mt-2 grid max-h-60 gap-4 overflow-y-auto">
          {[...drafts, ...sent].map((comment) => (
            <li key={comment.id}>
              <CommentItem runId={run.id} comment={comment} onShow={onShow} />
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
