/**
 * An append-only journal in which every line holds the hash of the line before, so that nothing can be changed, taken
 * out, put in or reordered without it showing. A line is on disk before the next one is written.
 *
 * - `openJournal(path)` for appending, after what is there; a last line that a crash cut short is dropped.
 * - `checkJournal(text)` the entries that hold, and the first thing that is wrong.
 *
 * Whoever can write the file could compute it all anew; what pins it is the hash of the last line, which `evidence stop`
 * prints and the QA report holds.
 */
import { type FileHandle, open } from "node:fs/promises";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { type EntryBody, JournalEntry } from "./entry.ts";

const firstPrev = "0".repeat(64);

export interface JournalCheck {
  readonly entries: readonly JournalEntry[];
  /** The hash of the last entry that holds. */
  readonly head: string;
  /** The last line has no end: whoever wrote it was killed. What stands before it is whole. */
  readonly isTorn: boolean;
  /** `line 4: …`; undefined when everything holds. */
  readonly fault: string | undefined;
}

export function checkJournal(text: string): JournalCheck {
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  const entries: JournalEntry[] = [];
  let head = firstPrev;
  const done = (fault?: string): JournalCheck => ({ entries, head, isTorn: rest !== "", fault });
  for (const [index, line] of lines.entries()) {
    const at = `line ${index + 1}`;
    const parsed = JournalEntry.safeParse(parseJson(line));
    if (!parsed.success) return done(`${at} is no entry of a journal`);
    const entry = parsed.data;
    if (entry.seq !== index) return done(`${at} says it is number ${entry.seq}: lines were taken out, added or moved`);
    if (entry.prev !== head) return done(`${at} does not follow the line before it`);
    // Spaces and members given twice change nothing in what is understood; they are changes nevertheless.
    const found = parseJson(line);
    if (hashOf(found) !== entry.hash || JSON.stringify(found) !== line) return done(`${at} was changed`);
    if ((index === 0) !== (entry.body.kind === "start")) return done(`${at} is out of place`);
    if (entries.at(-1)?.body.kind === "end") return done(`${at} comes after the end`);
    entries.push(entry);
    head = entry.hash;
  }
  return entries.length === 0 ? done("it is empty") : done();
}

export interface Journal {
  readonly head: string;
  readonly length: number;
  append(body: EntryBody, at: Date): Promise<JournalEntry>;
  close(): Promise<void>;
}

export async function openJournal(path: string): Promise<Journal> {
  const file = await open(path, "a+", 0o600);
  try {
    return await continueJournal(file, path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function continueJournal(file: FileHandle, path: string): Promise<Journal> {
  const text = await file.readFile("utf8");
  const { entries, head: last, isTorn, fault } = checkJournal(text);
  if (fault !== undefined && text.includes("\n")) throw new Error(`${path}: ${fault}`);
  if (isTorn) await file.truncate(Buffer.byteLength(text.slice(0, text.lastIndexOf("\n") + 1)));
  let head = last;
  let seq = entries.length;
  let queue: Promise<unknown> = Promise.resolve();

  async function write(body: EntryBody, at: Date): Promise<JournalEntry> {
    const unsigned = { seq, at: at.toISOString(), prev: head, body };
    const entry: JournalEntry = { ...unsigned, hash: hash(unsigned) };
    await file.appendFile(`${JSON.stringify(entry)}\n`);
    faultPoint("evidenceAfterWriteBeforeSync");
    await file.datasync();
    head = entry.hash;
    seq += 1;
    return entry;
  }
  return {
    get head() {
      return head;
    },
    get length() {
      return seq;
    },
    // Commands of several tabs end at the same time; lines must not.
    append: (body, at) => {
      const written = queue.then(() => write(body, at));
      queue = written.catch(() => {});
      return written;
    },
    close: async () => {
      await queue;
      await file.close();
    },
  };
}

/** Of what stands there, not of what was understood: a member that nobody knows counts too. */
function hashOf(value: unknown): string | undefined {
  const { hash: _, ...unsigned } = value as Record<string, unknown>;
  try {
    return hash(unsigned);
  } catch {
    return undefined;
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
