/**
 * The team's digest of one repository on this machine: `brain.json` in its team cache. Hooks and commands read it without a network.
 *
 * - `readDigest(folder)` what was pulled last; undefined when nothing was, or the file cannot be read.
 * - `writeDigest(folder, digest)`; `digestWrittenMs(folder)` when that was, by this machine's clock.
 * - `emptyDigest(repo, at)` for a team that was never reached.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { ensurePrivateFolder, writeFileAtomic } from "@devflow/core/atomic-file";
import { parseJson, readIfThere } from "@devflow/core/read-if-there";
import type { BrainDigest } from "@devflow/protocol";

const fileOf = (folder: string): string => join(folder, "brain.json");

/** Written by us after the server's answer was checked, so it is not checked again: hooks read it on every prompt. */
export async function readDigest(folder: string): Promise<BrainDigest | undefined> {
  const found = parseJson((await readIfThere(fileOf(folder))) ?? "") as Partial<BrainDigest> | undefined;
  const lists = [found?.presence, found?.intents, found?.decisions, found?.handoffs, found?.edits, found?.hot_files];
  return typeof found?.at === "string" && lists.every(Array.isArray) ? (found as BrainDigest) : undefined;
}

export async function writeDigest(folder: string, digest: BrainDigest): Promise<void> {
  await ensurePrivateFolder(folder);
  await writeFileAtomic(fileOf(folder), `${JSON.stringify(digest)}\n`);
}

export function digestWrittenMs(folder: string): number | undefined {
  return statSync(fileOf(folder), { throwIfNoEntry: false })?.mtimeMs;
}

export function emptyDigest(repo: string | null, at: string): BrainDigest {
  return { at, repo, presence: [], intents: [], decisions: [], handoffs: [], hot_files: [], features: [], edits: [] };
}
