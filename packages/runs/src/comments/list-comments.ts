/**
 * The comments on lines of a run, with where their lines are now and which attempt answered them.
 *
 * - `listComments(context, reader, run)` oldest first.
 */
import type { CommentView } from "@devflow/protocol";
import type { EngineContext } from "../engine/context.ts";
import { attachmentJson, type Reader, type VisibleRun } from "../views/index.ts";
import { placeNow } from "./send-comments.ts";
import { workLines } from "./work-lines.ts";

type StoredComment = Omit<CommentView, "place">;

export async function listComments(context: EngineContext, reader: Reader, run: VisibleRun): Promise<CommentView[]> {
  const rows = await reader.database.withClaims(
    reader.claims,
    (tx) => tx<{ comment: StoredComment }[]>`
      select jsonb_build_object('id', c.id, 'author', c.author || coalesce((select jsonb_build_object('name', u.name)
          from app.users u where u.id = (c.author ->> 'userId')::uuid), '{}'),
        'file', c.file_path, 'side', c.side, 'line', c.first_line, 'endLine', c.last_line, 'commit', c.commit_id,
        'quote', c.quote, 'text', c.body, 'revision', c.revision, 'createdAt', app.iso(c.created_at),
        'updatedAt', app.iso(c.updated_at),
        'attachments', (select coalesce(jsonb_agg(${attachmentJson(tx)} order by a.created_at, a.id), '[]')
          from app.run_attachments a where a.comment_id = c.id),
        'sent', case when c.sent_at is null then null else jsonb_build_object('at', app.iso(c.sent_at),
          'phase', (select p.phase_key from app.run_phases p where p.id = c.sent_phase_id), 'attempt', c.sent_attempt,
          -- The first attempt since then whose work was accepted as complete.
          'answeredBy', (select min(f.attempt) from app.artifacts f
            where f.phase_id = c.sent_phase_id and f.attempt >= c.sent_attempt and f.valid
              and (c.message_id is null or f.created_at > c.sent_at))) end) as comment
      from app.run_comments c where c.run_id = ${run.id} order by c.created_at, c.id`,
  );
  const work = workLines(context, run);
  const listed: CommentView[] = [];
  for (const { comment } of rows) {
    // What was sent is history: the agent was told where its lines were.
    const { side, file: file_path, line: first_line, quote } = comment;
    const place = await placeNow({ side, file_path, first_line, quote }, work);
    listed.push({ ...comment, place });
  }
  return listed;
}
