/**
 * The rows of comments on lines: the only module that writes `app.run_comments`.
 *
 * A comment is a draft until it is sent. Drafts are changed and removed by their author; what was sent stays as it was.
 *
 * - `insertComment`, `editComment`, `removeComment` a draft of its author; an admin of the team may remove it too.
 * - `draftsOf(tx, runId)` those that were not sent, oldest first.
 * - `takeDrafts(fact, given)` locks the drafts that are sent now; refuses one that the sender has not seen like this.
 * - `commentsSent(fact, drafts, by)` records with what they went, and which attempt answers them.
 */
import { DevflowError } from "@devflow/core/errors";
import { shortId } from "@devflow/core/short-id";
import type { Transaction } from "@devflow/db";
import { diffSides } from "@devflow/protocol";
import { z } from "zod";
import type { StoredAttachment } from "../attachments/attachment-file.ts";
import { removeAttachmentsOf } from "../attachments/attachment-repository.ts";
import type { RunFact } from "../engine/fact.ts";
import type { PhaseRow } from "../engine/rows.ts";
import { Actor } from "../events/actor.ts";

export const CommentRow = z.object({
  id: z.string(),
  author: Actor,
  author_name: z.string().nullable(),
  file_path: z.string(),
  side: z.enum(diffSides),
  first_line: z.number(),
  last_line: z.number(),
  commit_id: z.string(),
  quote: z.string(),
  body: z.string(),
  revision: z.number(),
  sent_at: z.string().nullable(),
  /** Names of its files. */
  attachments: z.array(z.string()),
});
export type CommentRow = z.infer<typeof CommentRow>;

export interface NewComment {
  readonly id: string;
  readonly file: string;
  readonly side: CommentRow["side"];
  readonly line: number;
  readonly endLine: number;
  readonly commit: string;
  readonly quote: string;
  readonly text: string;
}

/** A run is read by people: more than this is a conversation of its own. */
const mostDrafts = 200;

/** False: it was there already. */
export async function insertComment({ tx, run, actor, now }: RunFact, given: NewComment): Promise<boolean> {
  const known = await tx`select from app.run_comments where id = ${given.id}`;
  if (known.length > 0) return false;
  if ((await draftsOf(tx, run.id)).length >= mostDrafts) {
    const problem = `Run ${shortId(run.id)} has ${mostDrafts} comments that were not sent.`;
    const next = `Send them, or remove some: devflow run comment list ${shortId(run.id)}`;
    throw new DevflowError("conflict", { details: { problem, next } });
  }
  await tx`
    insert into app.run_comments (id, run_id, team_id, author, file_path, side, first_line, last_line, commit_id, quote, body,
      created_at, updated_at)
    values (${given.id}, ${run.id}, ${run.team_id}, ${tx.json(actor)}, ${given.file}, ${given.side}, ${given.line},
      ${given.endLine}, ${given.commit}, ${given.quote}, ${given.text}, ${now}, ${now})`;
  return true;
}

export async function editComment(
  fact: RunFact,
  id: string,
  { text, revision }: { readonly text: string; readonly revision: number },
): Promise<void> {
  const found = await lockDraft(fact, id);
  if (!isAuthor(found, fact.actor)) throw notYours(found, "edit");
  if (found.revision !== revision) throw changed(fact, found);
  await fact.tx`
    update app.run_comments set body = ${text}, revision = revision + 1, updated_at = ${fact.now} where id = ${id}`;
}

/** Its attachments, whose files are now of no use. */
export async function removeComment(
  fact: RunFact,
  id: string,
  { mayRemoveAny }: { readonly mayRemoveAny: boolean },
): Promise<readonly StoredAttachment[]> {
  const found = await lockDraft(fact, id);
  if (!mayRemoveAny && !isAuthor(found, fact.actor)) throw notYours(found, "remove");
  const files = await removeAttachmentsOf(fact.tx, id);
  await fact.tx`delete from app.run_comments where id = ${id}`;
  return files;
}

export async function draftsOf(tx: Transaction, runId: string): Promise<CommentRow[]> {
  const rows = await tx`
    select ${commentJson(tx)} as comment from app.run_comments c
    where c.run_id = ${runId} and c.sent_at is null order by c.created_at, c.id`;
  return rows.map((row) => CommentRow.parse(row.comment));
}

export interface SeenComment {
  readonly id: string;
  readonly revision: number;
}

export async function takeDrafts(fact: RunFact, given: readonly SeenComment[]): Promise<CommentRow[]> {
  const { tx, run } = fact;
  await tx`select from app.run_comments where run_id = ${run.id} and sent_at is null for update`;
  const drafts = await draftsOf(tx, run.id);
  const seen = new Map(given.map((one) => [one.id, one.revision]));
  const taken = drafts.filter(({ id }) => seen.has(id));
  if (taken.length < seen.size) {
    const next = `Look at them again: devflow run comment list ${shortId(run.id)}`;
    const problem = "One of the comments was sent or removed meanwhile.";
    throw new DevflowError("conflict", { details: { problem, next } });
  }
  const edited = taken.find(({ id, revision }) => seen.get(id) !== revision);
  if (edited) throw changed(fact, edited);
  return taken;
}

export async function commentsSent(
  { tx, now }: RunFact,
  drafts: readonly CommentRow[],
  by: { readonly decisionId: string } | { readonly messageId: string },
  answering: { readonly phase: Pick<PhaseRow, "id">; readonly attempt: number } | undefined,
): Promise<void> {
  if (drafts.length === 0) return;
  await tx`
    update app.run_comments set sent_at = ${now}, decision_id = ${"decisionId" in by ? by.decisionId : null},
      message_id = ${"messageId" in by ? by.messageId : null}, sent_phase_id = ${answering?.phase.id ?? null},
      sent_attempt = ${answering?.attempt ?? null}
    where id in (select jsonb_array_elements_text(${tx.json(drafts.map(({ id }) => id))})::uuid)`;
}

const commentJson = (tx: Transaction) => tx`
  to_jsonb(c) || jsonb_build_object('author_name', (select u.name from app.users u where u.id = (c.author ->> 'userId')::uuid),
    'attachments', (select coalesce(jsonb_agg(a.name order by a.created_at, a.id), '[]') from app.run_attachments a
      where a.comment_id = c.id))`;

async function lockDraft({ tx, run }: RunFact, id: string): Promise<CommentRow> {
  const [row] = await tx`
    select ${commentJson(tx)} as comment from app.run_comments c where c.id = ${id} and c.run_id = ${run.id} for update`;
  const next = `See what there is: devflow run comment list ${shortId(run.id)}`;
  if (!row) throw new DevflowError("not_found", { details: { what: `Comment ${shortId(id)}`, next } });
  const found = CommentRow.parse(row.comment);
  if (found.sent_at === null) return found;
  const problem = `Comment ${shortId(id)} was sent to the agent and stays as it is.`;
  throw new DevflowError("conflict", { details: { problem, next } });
}

const isAuthor = ({ author }: CommentRow, { userId }: Actor): boolean => author.userId === userId;

function notYours({ id, author_name: name }: CommentRow, what: "edit" | "remove"): DevflowError {
  const next = what === "edit" ? "Write a comment of your own." : "Ask them, or an admin of the team.";
  const problem = `Only its author, ${name ?? "a former member"}, can ${what} comment ${shortId(id)}.`;
  return new DevflowError("forbidden", { details: { problem, next } });
}

function changed({ run }: RunFact, { id, author_name: name }: CommentRow): DevflowError {
  const problem = `Comment ${shortId(id)} was changed meanwhile by ${name ?? "its author"}.`;
  const next = `Look at it again: devflow run comment list ${shortId(run.id)}`;
  return new DevflowError("conflict", { details: { problem, next } });
}
