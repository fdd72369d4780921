/** `devflow run comment list`: drafts, and what was sent, with where their lines are now. */
import type { HandlerOf } from "@devflow/core/command";
import { plainLine, plainText } from "@devflow/core/plain-text";
import { CommentList, type CommentView, type RunDetail } from "@devflow/protocol";
import { counted } from "../data/amounts.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns } from "./runs-client.ts";
import type { runCommentListRecord } from "./talk-commands.ts";
import { hasEnded, shortId } from "./words.ts";

export const listComments: HandlerOf<typeof runCommentListRecord> = async ({ run: given }, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, given, "run comment list", context);
  const answer = await client.get(`/api/runs/${run.id}/comments`, CommentList);
  context.output.result(answer, textOf(run, answer.comments));
};

function textOf(run: RunDetail, comments: readonly CommentView[]): string {
  const id = shortId(run.id);
  if (comments.length === 0)
    return `No comments on lines of “${plainLine(run.title)}”.\nAdd one: devflow run comment ${id} <file>:<line> -m "…"`;
  const drafts = comments.filter(({ sent }) => sent === null);
  const sent = comments.filter((one) => one.sent !== null);
  const send = hasEnded(run)
    ? "The run has ended."
    : run.pendingApprovals > 0
      ? `Send: devflow run request-changes ${id}`
      : `Send: devflow run say ${id} --with-comments`;
  return [
    ...(drafts.length > 0 ? [`${counted(drafts.length, "draft")}. ${send}`, ...drafts.flatMap(linesOf)] : []),
    ...(sent.length > 0 ? [`${counted(sent.length, "comment")} sent`, ...sent.flatMap(linesOf)] : []),
  ].join("\n");
}

function linesOf(comment: CommentView): string[] {
  const { id, author, quote, text, attachments } = comment;
  return [
    `  ${shortId(id)}  ${commentPlace(comment)}${answered(comment)}`,
    ...quote.split("\n").map((line) => `      | ${plainText(line)}`.trimEnd()),
    ...`${author.name ?? author.kind}: ${text}`.split("\n").map((line) => `      ${plainText(line)}`),
    ...attachments.map(({ name }) => `      attached: ${plainLine(name)}`),
  ];
}

export function commentPlace({ file, line, endLine, side, place, commit }: CommentView): string {
  const lines = line === endLine ? `${line}` : `${line}-${endLine}`;
  const where = `${plainLine(file)}:${lines}${side === "old" ? " (before the change)" : ""}`;
  if (place.is === "moved") return `${where}, now at line ${place.line}`;
  return place.is === "gone" ? `${where}, changed since ${commit.slice(0, 10)}` : where;
}

function answered({ sent }: CommentView): string {
  if (!sent) return "";
  return sent.answeredBy === null ? ", not answered yet" : `, answered by attempt ${sent.answeredBy} of ${sent.phase}`;
}
