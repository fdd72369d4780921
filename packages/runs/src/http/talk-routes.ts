/** `/runs/:id/comments…`, `/runs/:id/attachments…` and `/runs/attachments`: what people tell a run. */
import { DevflowError } from "@devflow/core/errors";
import { AttachmentQuery, CommentEdit, CommentRequest, mostAttachmentBytes } from "@devflow/protocol";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { readAttachment } from "../attachments/attachment-file.ts";
import { listComments } from "../comments/list-comments.ts";
import { bringHere } from "../fleet/bring-here.ts";
import type { RunsParts } from "../routes.ts";
import { notFound, type Reader, storedAttachment, type VisibleRun, visibleRun } from "../views/index.ts";
import { requireDriven } from "./control-routes.ts";
import { download } from "./download.ts";
import { actorOf, bodyOf, idOf, queryOf, type RunsContext, type RunsEnv } from "./request.ts";
import { teamFor } from "./team-for.ts";

export function talkRoutes({ engine, context }: RunsParts): Hono<RunsEnv> {
  const reader = (c: RunsContext): Reader => ({ database: context.database, claims: c.var.caller.claims });
  const seen = async (c: RunsContext): Promise<VisibleRun> => {
    const run = await visibleRun(reader(c), idOf(c, "Run"));
    requireDriven(run, context.host);
    return await bringHere(context, run);
  };
  const one = async (c: RunsContext, run: VisibleRun, id: string) =>
    (await listComments(context, reader(c), run)).find((comment) => comment.id === id);

  return new Hono<RunsEnv>()
    .post("/attachments", uploadLimit, async (c) => {
      const { name, team } = queryOf(c, AttachmentQuery);
      const teamId = await teamFor(reader(c), team);
      const bytes = new Uint8Array(await c.req.arrayBuffer());
      return c.json(await engine.keepUpload({ name, teamId, bytes }, actorOf(c)), 201);
    })
    .get("/:id/comments", async (c) => c.json({ comments: await listComments(context, reader(c), await seen(c)) }))
    .post("/:id/comments", async (c) => {
      const run = await seen(c);
      const id = await engine.commentOnRun(run, await bodyOf(c, CommentRequest), actorOf(c));
      return c.json(await one(c, run, id), 201);
    })
    .post("/:id/comments/:comment", async (c) => {
      const run = await seen(c);
      const id = idOf(c, "Comment", "comment");
      await engine.editComment(run.id, id, await bodyOf(c, CommentEdit), actorOf(c));
      return c.json(await one(c, run, id));
    })
    .delete("/:id/comments/:comment", async (c) => {
      const run = await seen(c);
      const id = idOf(c, "Comment", "comment");
      await engine.removeComment(run, id, { mayRemoveAny: run.role !== "member" }, actorOf(c));
      return c.json({ id });
    })
    .get("/:id/attachments/:attachment/content", async (c) => {
      const run = await seen(c);
      const id = idOf(c, "Attachment", "attachment");
      const stored = await storedAttachment(reader(c), run.id, id);
      const bytes = stored && (await readAttachment(context, run.folder, stored));
      if (!bytes) throw notFound(`The file of attachment ${id}`, `See what there is: devflow run show ${run.id}`);
      return download(stored.name, bytes, "application/octet-stream");
    });
}

const uploadLimit = bodyLimit({
  maxSize: mostAttachmentBytes,
  onError: () => {
    const problem = `The file is larger than ${mostAttachmentBytes / 1024 / 1024} MB.`;
    throw new DevflowError("input_invalid", { details: { problem, next: "Attach a smaller one." } });
  },
});
