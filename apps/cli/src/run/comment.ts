/** `devflow run comment | comment edit | comment remove`: a person's comments on lines of a run's diff. */
import type { HandlerOf } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { uuidv7 } from "@devflow/core/ids";
import { plainLine } from "@devflow/core/plain-text";
import { CommentList, type CommentRequest, CommentView, type RunDetail } from "@devflow/protocol";
import { z } from "zod";
import { counted } from "../data/amounts.ts";
import { attachFiles } from "./attach-files.ts";
import { commentPlace } from "./comment-list.ts";
import { pickRun } from "./pick-run.ts";
import { connectRuns, type RunsClient } from "./runs-client.ts";
import type { runCommentEditRecord, runCommentRecord, runCommentRemoveRecord } from "./talk-commands.ts";
import { shortId } from "./words.ts";

export const comment: HandlerOf<typeof runCommentRecord> = async (input, context) => {
  const text = given(input.message, `devflow run comment ${input.run} ${input.place} -m "…"`);
  const place = placeOf(input.place);
  const client = await connectRuns(context);
  const run = await pickRun(client, input.run, "run comment", context);
  const attachments = await attachFiles(client, input.attach, context);
  const body: CommentRequest = {
    ...place,
    side: input.old ? "old" : "new",
    text,
    clientToken: input.clientToken ?? uuidv7(),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
  const kept = await client.post(`/api/runs/${run.id}/comments`, body, CommentView);
  const id = shortId(run.id);
  const { draftComments } = await pickRun(client, run.id, "run comment", context);
  const send = run.pendingApprovals > 0 ? `devflow run request-changes ${id}` : `devflow run say ${id} --with-comments`;
  context.output.result(
    kept,
    `Kept as a draft: ${commentPlace(kept)}\n  | ${plainLine(kept.quote.split("\n")[0] ?? "")}\nSend ${draftComments === 1 ? "it" : `all ${counted(draftComments, "draft")}`}: ${send}`,
  );
};

export const edit: HandlerOf<typeof runCommentEditRecord> = async (input, context) => {
  const text = given(input.message, `devflow run comment edit ${input.run} ${input.comment} -m "…"`);
  const client = await connectRuns(context);
  const run = await pickRun(client, input.run, "run comment edit", context);
  const { id, revision } = await named(client, run, input.comment);
  const kept = await client.post(`/api/runs/${run.id}/comments/${id}`, { text, revision }, CommentView);
  context.output.result(kept, `Changed: ${commentPlace(kept)}`);
};

export const remove: HandlerOf<typeof runCommentRemoveRecord> = async (input, context) => {
  const client = await connectRuns(context);
  const run = await pickRun(client, input.run, "run comment remove", context);
  const found = await named(client, run, input.comment);
  await client.remove(`/api/runs/${run.id}/comments/${found.id}`, z.unknown());
  context.output.result(found, `Removed: ${commentPlace(found)}`);
};

function given(message: string | undefined, next: string): string {
  if (message?.trim()) return message;
  throw new DevflowError("usage", { details: { problem: "The comment is missing.", next: `Add it: ${next}` } });
}

/** `src/a.ts:10` or `src/a.ts:10-14`. */
function placeOf(text: string): { file: string; line: number; endLine?: number } {
  const [, file, first, last] = /^(.+):(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (file && first) return { file, line: Number(first), ...(last === undefined ? {} : { endLine: Number(last) }) };
  const next = 'For example: devflow run comment 3f9a2c1b src/greet.ts:12 -m "…"';
  throw new DevflowError("usage", { details: { problem: `"${text}" names no line.`, next } });
}

async function named(client: RunsClient, run: RunDetail, wanted: string): Promise<CommentView> {
  const { comments } = await client.get(`/api/runs/${run.id}/comments`, CommentList);
  const fitting = comments.filter(({ id }) => id.startsWith(wanted) || id.endsWith(wanted));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const next = `See what there is: devflow run comment list ${shortId(run.id)}`;
  throw new DevflowError("not_found", { details: { what: `Comment ${wanted}`, next } });
}
