/**
 * An append-only journal in which every line has the hash of the line before, so that any changed, removed, added or
 * moved line is detected. A line is on disk before the next one is written.
 *
 * - `openJournal(path)` for appending; a last line that a crash cut short is dropped.
 * - `checkJournal(text)` the valid entries, and the first fault.
 *
 * Anyone who can write the file could recompute all of it. What pins it is the hash of the last line, which `evidence stop`
 * prints and the QA report contains.
 */
import { type FileHandle, open } from "node:fs/promises";
import { faultPoint } from "@devflow/core/fault-point";
import { hash } from "@devflow/core/hash";
import { parseJson } from "@devflow/core/read-if-there";
import { type EntryBody, JournalEntry } from "./entry.ts";

const firstPrev = "0".repeat(64);

export interface JournalCheck {
  readonly entries: readonly JournalEntry[];
  /** The hash of the last valid entry. */
  readonly head: string;
  /** The last line has no newline because its writer was killed. The lines before it are complete. */
  readonly isTorn: boolean;
  /** `line 4 …`; undefined for a valid journal. */
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
    if (!parsed.success) return done(`${at} is not a journal entry`);
    const entry = parsed.data;
    if (entry.seq !== index) return done(`${at} has number ${entry.seq}: lines were removed, added or moved`);
    if (entry.prev !== head) return done(`${at} does not follow the line before it`);
    // Extra spaces and duplicate members do not change the parsed value, but they are edits too.
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
    // Commands in several tabs may end at the same time; their lines are written one after the other.
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

/** Of the line as written, including members that the schema does not know. */
function hashOf(value: unknown): string | undefined {
  const { hash: _, ...unsigned } = value as Record<string, unknown>;
  try {
    return hash(unsigned);
  } catch {
    return undefined;
  }
}
