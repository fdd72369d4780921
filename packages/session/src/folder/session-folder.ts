/**
 * The folder through which a session's agent and its driver communicate. Everything is a file, so that either may die at
 * any time without loss for the other. Only built-ins are imported here, because agents load it at start.
 *
 * - `sessionFolder(root)` the places in it.
 * - `appendLine`, `completeLines`: files that grow by whole lines, each on disk before the next step.
 * - `readFacts(root, after)` what the agent reported.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { NewFact } from "../adapter.ts";

/** How long a driver waits until the process of a folder is ready. */
export const startLimitMs = 60_000;

export const sessionFolder = (root: string) => ({
  root,
  /** The agent's configuration: written by the driver at each start. */
  start: join(root, "start.json"),
  /** The running process, written by itself once it is ready. */
  process: join(root, "process.json"),
  /** Held by the process while it runs: one per folder. */
  lock: join(root, "agent.lock"),
  /** What the process said on standard error; read when it does not start. */
  errors: join(root, "agent.err"),
  /** The agent behind it: its own session id, its process, whether it has its prelude. */
  agent: join(root, "agent.json"),
  /** One file per prompt, named by its dedup key. */
  inbox: join(root, "inbox"),
  /** One file per answer, named by its permission. */
  answers: join(root, "answers"),
  /** One file per message of a person, named by its id. */
  messages: join(root, "messages"),
  /** Instructions that are too long for a prompt. */
  instructions: join(root, "instructions"),
  /** The record of the prompts that the agent received: proves whether one was sent twice. */
  journal: join(root, "journal.jsonl"),
  facts: join(root, "facts.jsonl"),
  transcript: join(root, "transcript.log"),
});
export type SessionFolder = ReturnType<typeof sessionFolder>;

export type StoredFact = NewFact & { readonly seq: number };

export async function readFacts(root: string, afterSeq: number): Promise<StoredFact[]> {
  const text = await readFile(sessionFolder(root).facts, "utf8").catch(() => "");
  return text
    .split("\n")
    .slice(0, -1)
    .slice(afterSeq)
    .map((line) => JSON.parse(line) as StoredFact);
}

/** On disk when it returns. */
export function appendLine(path: string, entry: object | string): void {
  const file = openSync(path, "a", 0o600);
  try {
    writeSync(file, `${typeof entry === "string" ? entry : JSON.stringify(entry)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The last line may have been cut by a kill. */
export function completeLines(path: string): string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}
