/**
 * What a run has asked and been answered, on disk: one line per fact, appended and synced before the fact counts. After
 * kill -9 the same run continues from it, and no answer is paid for twice.
 *
 * - `openJournal(path, head)` reads an existing journal or starts one; `JournalFacts` is what it holds.
 * - `append(line)` resolves when the line is on disk. Lines that arrive during a sync share the next one.
 *
 * A call is `started` before it is sent. One without an answer or a failure was in flight when the process died: nobody knows
 * whether it was charged, so its estimate counts as spent, and it is sent again.
 */
import { constants } from "node:fs";
import { type FileHandle, open, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { ensurePrivateFolder, syncFolder } from "@devflow/core/atomic-file";
import { faultPoint } from "@devflow/core/fault-point";
import { parseJson } from "@devflow/core/read-if-there";
import type { ResultRecord } from "../check/index.ts";
import type { ProviderAnswer } from "../providers/provider.ts";

export interface JournalHead {
  readonly version: 1;
  readonly matrix: string;
  /** When the run started. */
  readonly at: string;
  /** The run id of each cell, by its title. */
  readonly runIds: Readonly<Record<string, string>>;
}

export type JournalLine =
  | { readonly started: string; readonly estimateUsd: number | null }
  | ({ readonly answered: string } & JournalAnswer)
  | { readonly failed: string; readonly usd: number | null }
  | { readonly checked: string; readonly result: ResultRecord; readonly judgeUsd: number; readonly checksSha: string };

export interface JournalAnswer {
  readonly answer: ProviderAnswer;
  readonly usd: number | null;
  /** From the output cache. */
  readonly isCached?: boolean;
}

export interface JournalFacts {
  readonly head: JournalHead;
  readonly answers: ReadonlyMap<string, JournalAnswer>;
  readonly results: ReadonlyMap<string, { readonly result: ResultRecord; readonly checksSha: string }>;
  /** Calls that were in flight when the process died. */
  readonly lost: ReadonlySet<string>;
  /** Everything that was paid so far, lost calls at their estimate. */
  readonly spentUsd: number;
}

export interface Journal {
  readonly path: string;
  readonly facts: JournalFacts;
  append(line: JournalLine): Promise<void>;
  close(): Promise<void>;
}

export async function openJournal(path: string, head: JournalHead): Promise<Journal> {
  await ensurePrivateFolder(dirname(path));
  const known = await readJournal(path);
  const facts = known ?? emptyFacts(head);
  // A line that was cut by the crash is removed, so that the next one is not appended to it.
  if (known) await truncate(path, known.bytes);
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_TRUNC } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | (known ? 0 : O_TRUNC), 0o600);
  const writer = syncedWriter(file);
  if (!known) {
    await writer.append(`${JSON.stringify(head)}\n`);
    await syncFolder(dirname(path));
  }
  return {
    path,
    facts,
    async append(line) {
      if ("answered" in line) faultPoint("afterAnswerBeforeJournal");
      await writer.append(`${JSON.stringify(line)}\n`);
      if ("answered" in line) faultPoint("afterAnswerOnDisk");
    },
    close: () => writer.close(),
  };
}

async function readJournal(path: string): Promise<(JournalFacts & { readonly bytes: number }) | undefined> {
  const text = await readFile(path, "utf8").catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const end = (text?.lastIndexOf("\n") ?? -1) + 1;
  const [first, ...lines] = (text ?? "").slice(0, end).split("\n").slice(0, -1).map(parseJson);
  if (text === undefined || !isHead(first)) return undefined;
  return { ...factsOf(first, lines.filter(isLine)), bytes: Buffer.byteLength(text.slice(0, end)) };
}

/** Pure: what the lines of a journal say together. */
export function factsOf(head: JournalHead, lines: readonly JournalLine[]): JournalFacts {
  const answers = new Map<string, JournalAnswer>();
  const results = new Map<string, { result: ResultRecord; checksSha: string }>();
  const open = new Map<string, number>();
  let spentUsd = 0;
  for (const line of lines) {
    if ("started" in line) {
      // Started before and never ended: lost in an earlier crash, and paid for all the same.
      spentUsd += open.get(line.started) ?? 0;
      open.set(line.started, line.estimateUsd ?? 0);
    } else if ("answered" in line) {
      open.delete(line.answered);
      const { answered, ...answer } = line;
      answers.set(answered, answer);
      spentUsd += line.usd ?? 0;
    } else if ("failed" in line) {
      open.delete(line.failed);
      spentUsd += line.usd ?? 0;
    } else {
      results.set(line.checked, { result: line.result, checksSha: line.checksSha });
      spentUsd += line.judgeUsd;
    }
  }
  for (const usd of open.values()) spentUsd += usd;
  return { head, answers, results, lost: new Set(open.keys()), spentUsd };
}

const emptyFacts = (head: JournalHead): JournalFacts => factsOf(head, []);

function isHead(value: unknown): value is JournalHead {
  const { version, matrix, at } = (value ?? {}) as Partial<JournalHead>;
  return version === 1 && typeof matrix === "string" && typeof at === "string";
}

function isLine(value: unknown): value is JournalLine {
  const line = (value ?? {}) as Record<string, unknown>;
  return ["started", "answered", "failed", "checked"].some((name) => typeof line[name] === "string");
}

/** Appends in order; one sync for all that waits. */
function syncedWriter(file: FileHandle): { append(text: string): Promise<void>; close(): Promise<void> } {
  let waiting = "";
  let writing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const flush = async () => {
    const text = waiting;
    waiting = "";
    await file.appendFile(text);
    await file.datasync();
  };
  return {
    append(text) {
      waiting += text;
      next ??= (writing ?? Promise.resolve()).then(() => {
        writing = flush();
        next = undefined;
        return writing;
      });
      return next;
    },
    async close() {
      await next?.catch(() => undefined);
      await writing?.catch(() => undefined);
      await file.close();
    },
  };
}
