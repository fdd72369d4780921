/**
 * The lines of an evidence journal.
 *
 * `start` has what was tested: the commit, and how many files differed from it. Each `command` has its input, its targets
 * (so that they can be found again without refs) and its outcome. `end` closes the journal.
 */
import { z } from "zod";

export const journalVersion = 1;

/** An element described so that it can be found again in a later page. */
export const DurableTarget = z.object({
  /** Playwright's selector, from the top of the page through its frames. */
  selector: z.string(),
  /** The same as Playwright code, for the spec: `getByRole('button', { name: 'Save' })`. */
  code: z.string(),
  role: z.string(),
  name: z.string(),
  /** The row, item or card by whose words it was told from others; for an option the list that it was in. */
  place: z.object({ role: z.string(), words: z.string() }).optional(),
  /** The controls before and after it. */
  after: z.string().optional(),
  before: z.string().optional(),
});
export type DurableTarget = z.output<typeof DurableTarget>;

/** The part of a receipt that can be compared. */
export const RecordedReceipt = z.object({
  did: z.string(),
  url: z.object({ from: z.string(), to: z.string() }).optional(),
  page: z.object({ title: z.string(), status: z.number().optional() }).optional(),
  changes: z.array(z.string()),
  more: z.number(),
  focus: z.string().optional(),
  console: z.array(z.string()),
  failed: z.array(z.string()),
  dialogs: z.array(z.string()),
  downloads: z.array(z.string()),
  opened: z.array(z.string()),
  effect: z.boolean(),
});
export type RecordedReceipt = z.output<typeof RecordedReceipt>;

/** The result of opening a page. */
export const Arrival = z.object({
  url: z.string(),
  title: z.string(),
  status: z.number().optional(),
  console: z.array(z.string()),
  failed: z.array(z.string()),
  /** Absent where a person opened the page. */
  dialogs: z.array(z.string()).optional(),
});
export type Arrival = z.output<typeof Arrival>;

export const Outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("receipt"), receipt: RecordedReceipt }),
  /** Only the size and the hash of what was read, since pages contain private data. */
  z.object({ kind: z.literal("read"), bytes: z.number(), sha256: z.string(), data: z.unknown().optional() }),
  z.object({ kind: z.literal("arrived"), arrival: Arrival }),
  z.object({ kind: z.literal("done") }),
  z.object({ kind: z.literal("failed"), code: z.string(), message: z.string() }),
]);
export type Outcome = z.output<typeof Outcome>;

const start = z.object({
  kind: z.literal("start"),
  version: z.literal(journalVersion),
  bundle: z.string(),
  name: z.string(),
  session: z.string(),
  devflow: z.string(),
  /** Null outside a repository, or before the first commit. */
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  /** Files that differed from the commit. */
  changedFiles: z.number(),
  /** The session's tabs at that time; tabs with higher numbers were opened later. */
  tabs: z.array(z.string()),
  /** A person did it in the window. Where the focus was is not compared: a person moves it without acting. */
  byHand: z.literal(true).optional(),
});

const command = z.object({
  kind: z.literal("command"),
  command: z.string(),
  effect: z.enum(["read", "write", "meta"]),
  /** Where it ran; for a command of the session, the tab it opened or chose. */
  tab: z.string().nullable(),
  /** The tab's URL before the command. */
  url: z.string().nullable(),
  /** As given, with secrets replaced by `{{SECRET_1}}` and so on. */
  input: z.record(z.string(), z.unknown()),
  /** By the name of the argument. */
  targets: z.record(z.string(), DurableTarget),
  outcome: Outcome,
  /** A screenshot of the tab afterwards. */
  shot: z.object({ file: z.string(), sha256: z.string() }).optional(),
  ms: z.number(),
});
export type CommandBody = z.output<typeof command>;

const end = z.object({ kind: z.literal("end"), commands: z.number(), reason: z.enum(["stopped", "interrupted"]) });

export const EntryBody = z.discriminatedUnion("kind", [start, command, end]);
export type EntryBody = z.output<typeof EntryBody>;
export type StartBody = z.output<typeof start>;

export const JournalEntry = z.object({
  seq: z.int().min(0),
  at: z.iso.datetime(),
  prev: z.string().regex(/^[0-9a-f]{64}$/),
  body: EntryBody,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type JournalEntry = z.output<typeof JournalEntry>;
