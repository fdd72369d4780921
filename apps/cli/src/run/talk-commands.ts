/** `devflow run comment …` and `run say`: what a person tells the agents of a run. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { CommentList, CommentView, RunDetail } from "@devflow/protocol";
import { z } from "zod";

const namedRun = () =>
  option(z.string().describe("The run's id, or its beginning or end"), { positional: 0, placeholder: "<run>" });
const comment = () =>
  option(z.string().describe("The comment, as run comment list shows it"), {
    positional: 1,
    placeholder: "<comment>",
  });
const message = (sentence: string) => option(z.string().optional().describe(sentence), { short: "m" });
const attach = () =>
  option(z.array(z.string()).default([]).describe("A picture or another file, up to 10 MB; repeatable"), {
    placeholder: "<file>",
  });
const clientToken = () =>
  z.string().min(1).max(200).optional().describe("A token of your choice that makes a retry harmless");

export const runCommentRecord = defineRecord({
  name: "run comment",
  summary: "Comment on lines of a run's diff",
  description:
    "Comments are kept as drafts of the run. The agent gets all of them at once, with run request-changes or with run say --with-comments.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: namedRun(),
    place: option(z.string().describe("The file and the line as the run has them now, or a range: a.ts:10-14"), {
      positional: 1,
      placeholder: "<file>:<line>",
    }),
    message: message("The comment; required"),
    old: z.boolean().default(false).describe("Lines before the change, such as removed ones"),
    attach: attach(),
    clientToken: clientToken(),
  }),
  output: CommentView,
  examples: [
    { run: 'run comment 3f9a2c1b src/greet.ts:12 -m "Use the table"', does: "comment on one line" },
    { run: 'run comment 3f9a2c1b README.md:3-5 --old -m "Keep this"', does: "on lines that were removed" },
  ],
});

export const runCommentListRecord = defineRecord({
  name: "run comment list",
  summary: "List the comments on lines of a run, and which attempt answered them",
  category: "Runs",
  effect: "read",
  args: z.object({
    run: option(
      z.string().optional().describe("The run's id, or its beginning or end; by default the newest of this repository"),
      { positional: 0, placeholder: "<run>" },
    ),
  }),
  output: CommentList,
  examples: [{ run: "run comment list 3f9a2c1b", does: "drafts first, then those that were sent" }],
});

export const runCommentEditRecord = defineRecord({
  name: "run comment edit",
  summary: "Change the text of your comment, until it is sent",
  category: "Runs",
  effect: "write",
  args: z.object({ run: namedRun(), comment: comment(), message: message("The new text; required") }),
  output: CommentView,
  examples: [{ run: 'run comment edit 3f9a2c1b 0c7d21aa -m "Use the other table"', does: "replace its text" }],
});

export const runCommentRemoveRecord = defineRecord({
  name: "run comment remove",
  summary: "Remove your comment, until it is sent",
  category: "Runs",
  effect: "write",
  args: z.object({ run: namedRun(), comment: comment() }),
  output: CommentView,
  examples: [{ run: "run comment remove 3f9a2c1b 0c7d21aa", does: "remove one draft" }],
});

export const runSayRecord = defineRecord({
  name: "run say",
  summary: "Send a message to a working agent",
  description: "The agent gets it during its turn, or before its next one. Only people can talk to agents.",
  category: "Runs",
  effect: "write",
  args: z.object({
    run: option(
      z.string().optional().describe("The run's id, or its beginning or end; by default the only active one"),
      {
        positional: 0,
        placeholder: "<run>",
      },
    ),
    message: message("What to say; required without --with-comments"),
    role: z.string().optional().describe("The agent's role, if several work"),
    withComments: z.boolean().default(false).describe("Send all comments on lines along"),
    attach: attach(),
    clientToken: clientToken(),
  }),
  output: RunDetail,
  examples: [
    { run: "run say -m keep-the-old-name", does: "tell the only agent at work" },
    { run: "run say 3f9a2c1b --with-comments", does: "send your comments on lines before there is a gate" },
  ],
});

export const talkCommands: readonly AnyCommand[] = [
  defineCommand(runCommentRecord, async () => (await import("./comment.ts")).comment),
  defineCommand(runCommentListRecord, async () => (await import("./comment-list.ts")).listComments),
  defineCommand(runCommentEditRecord, async () => (await import("./comment.ts")).edit),
  defineCommand(runCommentRemoveRecord, async () => (await import("./comment.ts")).remove),
  defineCommand(runSayRecord, async () => (await import("./say.ts")).say),
];
