/**
 * What a worktree is like before a command runs, so that afterwards it is known what the command changed.
 *
 * - `takeState(checkout, nowMs)` the index, HEAD and the time. The agent waits for it, so no file is looked at: that would take 30 ms with
 *   10,000 files, while this takes one.
 * - `saveState(file, state)`, `loadState(file)` one file, private. What a killed hook left is found by its age.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Checkout, headCommit } from "@devflow/git/checkout";

export interface WorktreeState {
  readonly atMs: number;
  readonly head: string | null;
  readonly branch: string | null;
  /** Bytes of the log of HEAD: what is behind them is what the command did. */
  readonly headLogBytes: number;
  readonly hashBytes: 20 | 32;
  /** The index as it was. */
  readonly index: Buffer;
}

export function takeState(checkout: Checkout, nowMs: number): WorktreeState {
  return {
    atMs: nowMs,
    head: headCommit(checkout) ?? null,
    branch: checkout.branch ?? null,
    headLogBytes: statSync(headLogFile(checkout), { throwIfNoEntry: false })?.size ?? 0,
    hashBytes: hashBytesOf(checkout),
    index: readIndex(checkout),
  };
}

export function readIndex({ gitFolder }: Checkout): Buffer {
  try {
    return readFileSync(join(gitFolder, "index"));
  } catch {
    // Before the first `git add` there is none.
    return Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\0"), Buffer.alloc(20)]);
  }
}

function hashBytesOf({ commonFolder }: Checkout): 20 | 32 {
  try {
    return /objectformat\s*=\s*sha256/i.test(readFileSync(join(commonFolder, "config"), "utf8")) ? 32 : 20;
  } catch {
    return 20;
  }
}

export const headLogFile = ({ gitFolder }: Checkout): string => join(gitFolder, "logs/HEAD");

export function saveState(file: string, { index, ...facts }: WorktreeState): void {
  const head = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, Buffer.concat([length, head, index]), { mode: 0o600 });
}

/** Undefined when it is missing, or was cut within its first part; a cut index is not read by `changedSince`. */
export function loadState(file: string): WorktreeState | undefined {
  try {
    const bytes = readFileSync(file);
    const end = 4 + bytes.readUInt32LE(0);
    const facts = JSON.parse(bytes.toString("utf8", 4, end)) as Omit<WorktreeState, "index">;
    return { ...facts, index: bytes.subarray(end) };
  } catch {
    return undefined;
  }
}
