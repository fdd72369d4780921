/** What people tell a run: comments on lines of its diff, attachments and messages. */
import { actorKinds } from "@devflow/core/enums";
import { z } from "zod";

const Time = z.iso.datetime({ offset: true });
const Id = z.uuid();

export const ActorView = z.object({
  userId: z.string().nullable(),
  kind: z.enum(actorKinds),
  via: z.string(),
  /** The person's name, with decisions, comments and messages only; events have just the id. */
  name: z.string().optional(),
});

/** Per file, and per run. */
export const mostAttachmentBytes = 10 * 1024 * 1024;
export const mostRunAttachmentBytes = 50 * 1024 * 1024;
export const mostAttachments = 20;

export const AttachmentView = z.object({
  id: Id,
  name: z.string(),
  /** By its content: PNG, JPEG, GIF, WebP, PDF, text, or unknown (`application/octet-stream`). */
  mediaType: z.string(),
  bytes: z.number().int(),
  /** Secrets were taken out of its text. */
  isRedacted: z.boolean(),
  /** Its file was removed by `run prune` or `run purge`. */
  isRemoved: z.boolean(),
  /** What it belongs to; both null for one of the requirements. */
  commentId: Id.nullable(),
  messageId: Id.nullable(),
});
export type AttachmentView = z.infer<typeof AttachmentView>;

/** `POST /api/runs/attachments?name&team`: the body is the file. It is used by its id, by the same person, within a day. */
export const AttachmentQuery = z.object({
  name: z.string().min(1).max(255),
  team: Id.optional(),
});
const Attachments = z.array(Id).max(mostAttachments).optional();

/** Where the commented lines are in the work as it is now. */
export const CommentPlace = z.discriminatedUnion("is", [
  z.object({ is: z.literal("same") }),
  z.object({ is: z.literal("moved"), line: z.number().int() }),
  /** The text is no longer there. */
  z.object({ is: z.literal("gone") }),
]);
export type CommentPlace = z.infer<typeof CommentPlace>;

export const diffSides = ["new", "old"] as const;

export const CommentView = z.object({
  id: Id,
  author: ActorView,
  file: z.string(),
  /** `old`: a line of the base, such as a removed one. */
  side: z.enum(diffSides),
  line: z.number().int(),
  endLine: z.number().int(),
  commit: z.string(),
  /** The lines as the author saw them. */
  quote: z.string(),
  text: z.string(),
  revision: z.number().int(),
  createdAt: Time,
  updatedAt: Time,
  place: CommentPlace,
  attachments: z.array(AttachmentView),
  /** Null while it is a draft. */
  sent: z
    .object({
      at: Time,
      phase: z.string().nullable(),
      attempt: z.number().int().nullable(),
      /** The attempt that answered it; null while none has. */
      answeredBy: z.number().int().nullable(),
    })
    .nullable(),
});
export type CommentView = z.infer<typeof CommentView>;
/** `GET /api/runs/:id/comments`, oldest first. */
export const CommentList = z.object({ comments: z.array(CommentView) });

const commentText = z.string().trim().min(1).max(5000);
/** The most lines that one comment can be about. */
export const mostCommentedLines = 50;

/** `POST /api/runs/:id/comments`: 201 with the comment. */
export const CommentRequest = z.object({
  file: z.string().min(1).max(4096),
  side: z.enum(diffSides).default("new"),
  line: z.number().int().min(1),
  /** By default the same line. */
  endLine: z.number().int().min(1).optional(),
  text: commentText,
  attachments: Attachments,
  clientToken: z.string().min(1).max(200),
});
export type CommentRequest = z.input<typeof CommentRequest>;
/** `POST /api/runs/:id/comments/:comment`: another text, by its author. `DELETE` removes it. */
export const CommentEdit = z.object({ text: commentText, revision: z.number().int() });

/** The drafts that are sent along, as the sender saw them: one that was changed since is refused. */
export const SentComments = z
  .array(z.object({ id: Id, revision: z.number().int() }))
  .max(200)
  .optional();

/** A person's message to an agent. */
export const MessageView = z.object({
  id: Id,
  role: z.string(),
  text: z.string(),
  by: ActorView,
  at: Time,
  /** When the run's driver passed it on to the agent. */
  deliveredAt: Time.nullable(),
  /** When the agent had it. */
  receivedAt: Time.nullable(),
});
export type MessageView = z.infer<typeof MessageView>;

/** `POST /api/runs/:id/say`. */
export const SayRequest = z.object({
  text: z.string().trim().max(100_000).default(""),
  role: z.string().max(100).optional(),
  comments: SentComments,
  attachments: Attachments,
  clientToken: z.string().min(1).max(200),
});
