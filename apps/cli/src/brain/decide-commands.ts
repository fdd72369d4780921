/** `devflow brain decide …`: decisions, learnings and freezes. */
import { type AnyCommand, defineCommand, defineRecord, option } from "@devflow/core/command";
import { z } from "zod";

const base = { category: "Brain", effect: "write" } as const;
const reads = { category: "Brain", effect: "read" } as const;
const files = z.array(z.string().min(1)).default([]).describe("A file that it is about; repeat it for more");
const features = z.array(z.string().min(1)).default([]).describe("A feature that it is about; repeat it for more");
const type = z.enum(["decision", "learning", "freeze"]);
const decisionRef = option(z.string().min(1).describe("A decision's number, its id, or the last characters of it"), {
  positional: 0,
  placeholder: "<decision>",
});
const content = {
  title: option(z.string().min(1).max(300).describe("What was decided, in one sentence"), {
    positional: 0,
    placeholder: "<title>",
  }),
  body: z.string().default("").describe("The decision and its reasons; - reads standard input"),
  context: z.string().optional().describe("What led to it"),
  alternatives: z.string().optional().describe("What else was considered, and why not"),
  file: files,
  feature: features,
};

export const decideWriteRecord = defineRecord({
  ...base,
  name: "brain decide write",
  summary: "Record a decision, a learning or a freeze",
  description:
    "It is accepted unless you say --proposed. The server gives it its number. Works offline: the record waits on this machine's disk.",
  args: z.object({
    ...content,
    type: type
      .default("decision")
      .describe("A learning is something you found out; a freeze asks everybody to keep off"),
    proposed: z.boolean().default(false).describe("Not decided yet"),
    expires: z.string().optional().describe("When it stops holding: 12h, 7d, 2w or a date"),
  }),
  examples: [
    {
      run: 'brain decide write "Sessions live in Redis" --body "Cookies were too large" --file src/session.ts',
      does: "a decision",
    },
    {
      run: 'brain decide write "No deploys before the audit" --type freeze --expires 2d',
      does: "a freeze that ends by itself",
    },
  ],
});

export const decideSupersedeRecord = defineRecord({
  ...base,
  name: "brain decide supersede",
  summary: "Record a decision that replaces another one",
  description: "The old one stays readable, and is no longer given to agents.",
  args: z.object({
    old: option(z.string().min(1).describe("The decision that it replaces: its number or id"), {
      positional: 0,
      placeholder: "<decision>",
    }),
    ...content,
    title: option(content.title.clone(), { positional: 1, placeholder: "<title>" }),
  }),
  examples: [
    { run: 'brain decide supersede 12 "Sessions live in Postgres" --body "One store less"', does: "replaces #12" },
  ],
});

const change = (word: string, summary: string) =>
  defineRecord({
    ...base,
    name: `brain decide ${word}`,
    summary,
    args: z.object({
      decision: decisionRef,
      text: option(z.string().max(10_000).optional().describe("Why"), { positional: 1, placeholder: "<text>" }),
    }),
    examples: [{ run: `brain decide ${word} 12 "As discussed"`, does: "decision #12" }],
  });
export const decideAcceptRecord = change("accept", "Accept a proposed decision");
export const decideRejectRecord = change("reject", "Reject a decision");
export const decideCommentRecord = defineRecord({
  ...change("comment", "Add a comment to a decision's timeline"),
  args: z.object({
    decision: decisionRef,
    text: option(z.string().min(1).max(10_000).describe("The comment"), { positional: 1, placeholder: "<text>" }),
  }),
});
export const decideLiftRecord = change("lift", "End a freeze, or a decision that no longer holds");

export const decideSearchRecord = defineRecord({
  ...reads,
  name: "brain decide search",
  summary: "Find decisions by words, file or feature",
  description:
    "Rare words count more than common ones, and titles more than texts; misspelt words are compared with titles. What was replaced is not shown: its successor is.",
  args: z.object({
    query: option(z.array(z.string()).default([]).describe("Words, or a question"), {
      positional: 0,
      placeholder: "<words>",
    }),
    file: files,
    feature: features,
    type: type.optional().describe("Only this type"),
    all: z.boolean().default(false).describe("Also superseded, rejected and expired ones"),
    everywhere: z.boolean().default(false).describe("In all repositories of the team"),
    limit: option(z.number().int().min(1).max(100).default(10).describe("Number of results"), { short: "n" }),
  }),
  examples: [
    { run: "brain decide search why redis", does: "a question" },
    { run: "brain decide search --file src/session.ts", does: "what was decided about a file" },
  ],
});

export const decideShowRecord = defineRecord({
  ...reads,
  name: "brain decide show",
  summary: "Show a decision with its timeline",
  args: z.object({ decision: decisionRef }),
  examples: [{ run: "brain decide show 12", does: "decision #12 of this repository" }],
});

export const decideListRecord = defineRecord({
  ...reads,
  name: "brain decide list",
  summary: "List the decisions that hold, newest first",
  args: z.object({
    type: type.optional().describe("Only this type"),
    feature: z.string().optional().describe("Only of this feature"),
    file: z.string().optional().describe("Only about this file"),
    all: z.boolean().default(false).describe("Also superseded, rejected and expired ones"),
    everywhere: z.boolean().default(false).describe("In all repositories of the team"),
    limit: option(z.number().int().min(1).max(500).default(30).describe("Number of rows"), { short: "n" }),
  }),
  examples: [{ run: "brain decide list --type freeze", does: "what is frozen" }],
});

export const decideImportRecord = defineRecord({
  ...base,
  name: "brain decide import",
  summary: "Import a folder of ADRs",
  description:
    "Reads the forms of Nygard, MADR and log4brains, in several languages. Reports what it could not read. Importing again updates what changed and adds what is new.",
  args: z.object({
    folder: option(z.string().describe("The folder, such as docs/adr"), { positional: 0, placeholder: "<folder>" }),
    dryRun: z.boolean().default(false).describe("Only report"),
  }),
  examples: [{ run: "brain decide import docs/adr --dry-run", does: "see what would be imported" }],
});

export const decideCommands: readonly AnyCommand[] = [
  defineCommand(decideWriteRecord, async () => (await import("./decide-write.ts")).decideWrite),
  defineCommand(decideSupersedeRecord, async () => (await import("./decide-write.ts")).decideSupersede),
  defineCommand(decideAcceptRecord, async () => (await import("./decide-change.ts")).decideChange("accepted")),
  defineCommand(decideRejectRecord, async () => (await import("./decide-change.ts")).decideChange("rejected")),
  defineCommand(decideLiftRecord, async () => (await import("./decide-change.ts")).decideChange("expired")),
  defineCommand(decideCommentRecord, async () => (await import("./decide-change.ts")).decideComment),
  defineCommand(decideSearchRecord, async () => (await import("./decide-read.ts")).decideSearch),
  defineCommand(decideShowRecord, async () => (await import("./decide-read.ts")).decideShow),
  defineCommand(decideListRecord, async () => (await import("./decide-read.ts")).decideList),
  defineCommand(decideImportRecord, async () => (await import("./decide-import.ts")).decideImport),
];
