/**
 * An evidence bundle on disk: a folder with the journal, the screenshots and the spec.
 *
 * - `readBundle(folder)` the journal, checked, with every screenshot compared to its hash; throws `evidence_broken`.
 * - `evidenceFolder(workspace)`, `listBundles(workspace)` where bundles are, newest first.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import { hashBytes } from "@devflow/core/hash";
import { type CommandBody, checkJournal, type JournalEntry, type StartBody } from "../journal/index.ts";

export const journalFile = "journal.jsonl";
export const specFile = "replay.spec.ts";
export const shotsFolder = "shots";

export interface Bundle {
  readonly folder: string;
  readonly start: StartBody;
  readonly commands: readonly { readonly seq: number; readonly at: string; readonly body: CommandBody }[];
  /** The hash of the last line. */
  readonly head: string;
  /** Ended by `evidence stop`; otherwise the recording daemon was killed, and the bundle has what was written by then. */
  readonly isEnded: boolean;
}

export const evidenceFolder = (workspace: string): string => join(workspace, ".devflow", "evidence");

export function readBundle(folder: string): Bundle {
  const broken = (reason: string) => new DevflowError("evidence_broken", { details: { bundle: folder, reason } });
  let text: string;
  try {
    text = readFileSync(join(folder, journalFile), "utf8");
  } catch (cause) {
    throw new DevflowError("not_found", {
      details: { what: `An evidence bundle at ${folder}`, next: "List them: devflow browse evidence list" },
      cause,
    });
  }
  const { entries, head, fault } = checkJournal(text);
  if (fault !== undefined) throw broken(fault);
  const fromStart = entries[0]?.body;
  if (fromStart?.kind !== "start") throw broken("it has no start entry");
  for (const { seq, body } of entries) {
    if (body.kind !== "command" || !body.shot) continue;
    const problem = shotProblem(folder, body.shot);
    if (problem) throw broken(`line ${seq + 1}: ${problem}`);
  }
  return {
    folder,
    start: fromStart,
    commands: entries.flatMap(commandOf),
    head,
    isEnded: entries.at(-1)?.body.kind === "end",
  };
}

export function listBundles(workspace: string): string[] {
  const root = evidenceFolder(workspace);
  if (!existsSync(root)) return [];
  // Their names begin with the time.
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, journalFile)))
    .sort()
    .reverse()
    .map((name) => join(root, name));
}

function shotProblem(folder: string, shot: { file: string; sha256: string }): string | undefined {
  if (!/^shots\/[\w.-]+$/.test(shot.file)) return "its screenshot is not in the bundle";
  try {
    return hashBytes(readFileSync(join(folder, shot.file))) === shot.sha256 ? undefined : `${shot.file} was changed`;
  } catch {
    return `${shot.file} is missing`;
  }
}

function commandOf({ seq, at, body }: JournalEntry): Bundle["commands"] {
  return body.kind === "command" ? [{ seq, at, body }] : [];
}
